// Vendure's core on PostgreSQL: what a new shop has to have, and nothing to sell.
import { createRequire } from "node:module";

const require = createRequire(process.env.TEA_MODULES + "/");
const core = require("@vendure/core");
const { populateInitialData } = require("@vendure/core/cli");

const app = await core.bootstrap({
  apiOptions: {
    hostname: "127.0.0.1",
    port: Number(process.env.TEA_PORT),
    adminApiPath: "admin-api",
    shopApiPath: "shop-api",
  },
  authOptions: {
    tokenMethod: ["cookie", "bearer"],
    superadminCredentials: { identifier: "kim", password: process.env.TEA_PASSWORD },
    cookieOptions: {
      secret: String(Math.random()),
      name: { admin: "admin-session", shop: "shop-session" }, // who works in one browser has both
    },
  },
  dbConnectionOptions: {
    type: "postgres",
    synchronize: true,
    host: process.env.TEA_DATABASE,
    username: "postgres",
    database: "postgres",
  },
  paymentOptions: { paymentMethodHandlers: [core.dummyPaymentHandler] },
  logger: new core.DefaultLogger({ level: core.LogLevel.Error }),
});
await populateInitialData(app, {
  defaultLanguage: core.LanguageCode.en,
  defaultZone: "Europe",
  countries: [{ name: "United Kingdom", code: "GB", zone: "Europe" }],
  taxRates: [{ name: "Standard", percentage: 20 }],
  shippingMethods: [{ name: "Post", price: 500 }],
  paymentMethods: [
    {
      name: "By hand",
      handler: {
        code: core.dummyPaymentHandler.code,
        arguments: [{ name: "automaticSettle", value: "true" }],
      },
    },
  ],
  collections: [],
});

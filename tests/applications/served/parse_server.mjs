// Parse Server on a PostgreSQL's socket, and a page. Usage: node served.mjs PORT FOLDER PAGE
import express from "express";
import { ParseServer } from "parse-server";

const [port, folder, page] = process.argv.slice(2);
const url = `http://127.0.0.1:${port}/parse`;
const server = new ParseServer({
  databaseURI: "postgres://postgres@localhost/postgres",
  databaseOptions: { host: folder },
  appId: "tea",
  masterKey: "master",
  serverURL: url,
  allowClientClassCreation: true,
  allowExpiredAuthDataToken: false,
  logsFolder: `${folder}/logs`,
});
await server.start();
const app = express();
app.use("/parse", server.app);
const shown = { dotfiles: "allow" }; // the folder may be in one
app.get("/parse.js", (_, answer) =>
  answer.sendFile(`${folder}/node_modules/parse/dist/parse.min.js`, shown));
app.get("/", (_, answer) => answer.sendFile(page, shown));
app.listen(Number(port), "127.0.0.1");

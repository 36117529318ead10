import { randomBytes } from "node:crypto";
export default defineEventHandler(async (event) => { const d = await readBody(event); if (d.password !== "secret-tea") throw createError({ statusCode: 401 }); const sid = randomBytes(18).toString("base64url"); sessions.set(sid, d.user); setCookie(event, "sid", sid, { httpOnly: true, path: "/" }); return { ok: true }; });

export default defineEventHandler(async (event) => { const x = toggle((await readBody(event)).id); if (!x) throw createError({ statusCode: 404 }); return { ok: true }; });

export default defineEventHandler((event) => { if (!remove(getRouterParam(event, "id"))) throw createError({ statusCode: 404 }); return { ok: true }; });

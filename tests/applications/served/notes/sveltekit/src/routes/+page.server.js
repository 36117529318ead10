import { fail } from '@sveltejs/kit';
import * as store from '$lib/store.js';
export const load = () => ({ notes: store.list().map(({ id, title, done }) => ({ id, title, done })) });
export const actions = {
  create: async ({ request }) => { const d = await request.formData(); if (!d.get('title')) return fail(400, { missing: true }); const x = store.add(d.get('title'), d.get('body')); return { created: x.id }; },
  toggle: async ({ request }) => { const d = await request.formData(); const x = store.toggle(d.get('id')); if (!x) return fail(404, { unknown: true }); return { toggled: x.id }; },
  remove: async ({ request }) => { const d = await request.formData(); if (!store.remove(d.get('id'))) return fail(404, { unknown: true }); return { removed: true }; },
};

import { error, fail, redirect } from '@sveltejs/kit';
import * as store from '$lib/store.js';
export const load = ({ params }) => { const note = store.get(params.id); if (!note) error(404, 'no such note'); return { note }; };
export const actions = { save: async ({ request, params }) => { const d = await request.formData(); const wrong = store.edit(params.id, d.get('version'), { title: d.get('title'), body: d.get('body') }); if (wrong) return fail(409, { wrong }); redirect(303, '/'); } };

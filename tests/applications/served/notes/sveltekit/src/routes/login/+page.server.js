import { fail, redirect } from '@sveltejs/kit';
import { randomBytes } from 'node:crypto';
import { sessions } from '$lib/store.js';
export const actions = { default: async ({ request, cookies }) => {
  const d = await request.formData();
  if (d.get('password') !== 'secret-tea') return fail(400, { wrong: true });
  const sid = randomBytes(18).toString('base64url'); sessions.set(sid, d.get('user'));
  cookies.set('sid', sid, { path: '/', secure: false });
  redirect(303, '/');
} };

import { sessions } from '$lib/store.js';
import { redirect } from '@sveltejs/kit';
export async function handle({ event, resolve }) {
  event.locals.user = sessions.get(event.cookies.get('sid'));
  if (!event.locals.user && event.url.pathname !== '/login') redirect(303, '/login');
  return resolve(event);
}

// An OpenID provider, a small API that asks for its tokens, and the page of a client.
// Usage: node oidc_server.mjs PORT. All secrets are made when it starts, all state is in memory.
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const origin = `http://127.0.0.1:${process.argv[2]}`;
const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });

const provider = new Provider(`${origin}/oidc`, {
  clients: [{
    client_id: 'notes',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: [`${origin}/callback`],
    post_logout_redirect_uris: [`${origin}/`],
  }],
  claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
  cookies: { keys: [randomBytes(32).toString('hex')] },
  jwks: { keys: [{ ...key, kid: randomUUID(), use: 'sig', alg: 'RS256' }] },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, name: `Name of ${id}`, email: `${id}@example.com` }),
  }),
});
const openid = provider.callback();

const file = (name) => readFileSync(new URL(name, import.meta.url));
const page = file('oidc_client.html');
const library = file('node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js');

const notes = new Map(); // by id: { id, owner, text }
const journal = []; // what was done to them

async function api(request, response) {
  const answer = (status, body) => response
    .writeHead(status, { 'Content-Type': 'application/json' })
    .end(body && JSON.stringify(body));
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  const token = bearer && await provider.AccessToken.find(bearer);
  if (!token) return answer(401, { error: 'invalid_token' });
  let body = '';
  for await (const chunk of request) body += chunk;
  const id = request.url.split('/')[3];
  const mine = [...notes.values()].filter((note) => note.owner === token.accountId);
  if (!id && request.method === 'GET') return answer(200, { notes: mine });
  if (!id) {
    const note = { id: randomUUID(), owner: token.accountId, text: JSON.parse(body).text };
    notes.set(note.id, note);
    journal.push(note.text);
    return answer(201, note);
  }
  const note = mine.find((one) => one.id === id);
  if (!note) return answer(404, { error: 'not_found' });
  if (request.method === 'PUT') {
    const { text } = JSON.parse(body);
    journal.push(`${note.text} is ${text}`);
    note.text = text;
  }
  if (request.method === 'DELETE') {
    notes.delete(id);
    journal.push(`without ${note.text}`);
  }
  return request.method === 'DELETE' ? answer(204) : answer(200, note);
}

createServer((request, response) => {
  const { pathname } = new URL(request.url, origin);
  if (pathname.startsWith('/oidc/')) {
    request.originalUrl = request.url; // from which the provider sees where it is mounted
    request.url = request.url.slice('/oidc'.length);
    openid(request, response);
  } else if (pathname.startsWith('/api/notes')) {
    api(request, response);
  } else if (pathname === '/journal') {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(journal));
  } else if (pathname === '/oidc-client-ts.js') {
    response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(library);
  } else if (pathname === '/' || pathname === '/callback') {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page);
  } else {
    response.writeHead(404).end();
  }
}).listen(Number(process.argv[2]), '127.0.0.1');

// An application on Tributary: users sign up, connect to a health system in the browser, and see their record.
// The server holds the client secret; the page holds access tokens only.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { TributaryServer, newState, readConnectRedirect, verifyWebhook } from '@tributary/sdk';

const { BASE_URL, AUTH_URL, SEARCH_URL, ANALYTICS_URL, CLIENT_ID, CLIENT_SECRET, PORT = '5050' } = process.env;
const addresses = { baseUrl: BASE_URL, authUrl: AUTH_URL, searchUrl: SEARCH_URL, analyticsUrl: ANALYTICS_URL };
const tributary = new TributaryServer({ ...addresses, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET });
const origin = `http://localhost:${PORT}`;

/** The longest body of a request, in bytes. */
const maxBody = 1_000_000;

/** The signed-in browsers. A real application has a database, and a TokenStore in it. */
const sessions = new Map();
let webhookSecret;

const routes = {
  'GET /': (_request, response) => sendFile(response, './page.html', 'text/html; charset=utf-8'),
  'GET /page.js': (_request, response) => sendFile(response, './page.js', 'text/javascript'),

  async 'POST /sign-up'(_request, response) {
    const { service_user_id, code } = await tributary.users.create(`example-${randomUUID()}`);
    const id = randomUUID();
    sessions.set(id, { service_user_id, user: tributary.user(await tributary.tokens.exchange(code)), events: [] });
    response.setHeader('Set-Cookie', `session=${id}; HttpOnly; SameSite=Lax; Path=/`);
    sendJson(response, { addresses, clientId: CLIENT_ID });
  },

  async 'POST /token'(request, response) {
    sendJson(response, { access_token: await sessionOf(request).user.accessToken(), addresses, clientId: CLIENT_ID });
  },

  async 'GET /connect'(request, response, query) {
    const session = sessionOf(request);
    session.state = newState();
    const { url } = await session.user.connections.createLink({
      health_system_id: Number(query.get('health_system_id')),
      fhirVersion: 'r4',
      state: session.state,
      redirect_uri: `${origin}/connected`,
    });
    response.writeHead(302, { Location: url }).end();
  },

  'GET /connected'(request, response) {
    const session = sessionOf(request);
    const result = readConnectRedirect(`${origin}${request.url}`, { state: session.state ?? '' });
    delete session.state;
    response.writeHead(302, { Location: result.success ? '/#connected' : `/#${result.error}` }).end();
  },

  async 'POST /webhook'(request, response) {
    const event = await verifyWebhook(await bodyOf(request), request.headers, webhookSecret);
    if ('service_user_id' in event.data)
      for (const { service_user_id, events } of sessions.values())
        if (service_user_id === event.data.service_user_id) events.push(event.type);
    response.writeHead(204).end();
  },

  'GET /events': (request, response) => sendJson(response, sessionOf(request).events),
};

/** Registers this server for webhooks. The secret of an endpoint is shown once, so a restart requests another one. */
async function listenForWebhooks() {
  const url = `${origin}/webhook`;
  const known = (await tributary.webhooks.list()).find((endpoint) => endpoint.url === url);
  const { secret } = known
    ? await tributary.webhooks.rotateSecret(known.endpoint_id)
    : await tributary.webhooks.create({ url });
  webhookSecret = secret;
}

function sessionOf(request) {
  const session = sessions.get(/(?:^|; )session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1]);
  if (!session) throw Object.assign(new Error('sign up first'), { status: 401 });
  return session;
}

async function bodyOf(request) {
  const pieces = [];
  let length = 0;
  for await (const piece of request) {
    length += piece.length;
    // The rest is read, but not kept, so that the client receives the response.
    if (length <= maxBody) pieces.push(piece);
  }
  if (length > maxBody) throw Object.assign(new Error('the body is too large'), { status: 413 });
  return Buffer.concat(pieces);
}

function sendJson(response, body) {
  response
    .writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    .end(JSON.stringify(body));
}

async function sendFile(response, path, type) {
  response.writeHead(200, { 'Content-Type': type }).end(await readFile(new URL(path, import.meta.url)));
}

const sdk = new URL('.', import.meta.resolve('@tributary/sdk'));
async function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, origin);
  const route = pathname.startsWith('/sdk/')
    ? () => sendFile(response, fileURLToPath(new URL(`.${pathname.slice(4)}`, sdk)), 'text/javascript')
    : routes[`${request.method} ${pathname}`];
  await (route ? route(request, response, searchParams) : response.writeHead(404).end());
}

createServer((request, response) => {
  answer(request, response).catch((error) => {
    process.stderr.write(`${request.method} ${request.url.split('?')[0]}: ${error}\n`);
    if (!response.headersSent) response.writeHead(error.status ?? 400);
    response.end(error.message);
  });
}).listen(Number(PORT), async () => {
  await listenForWebhooks();
  process.stdout.write(`listening on ${origin}\n`);
});

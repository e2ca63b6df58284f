// An application that opens the connect pages in a pop-up, in a frame, and by a redirect. The server holds the secret
// of the client and makes the address of the pages; the page holds nothing.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { TributaryServer, newState, readConnectRedirect } from '@tributary/sdk';

const { BASE_URL, AUTH_URL, SEARCH_URL, ANALYTICS_URL, CLIENT_ID, CLIENT_SECRET, PORT = '5060' } = process.env;
const tributary = new TributaryServer({
  baseUrl: BASE_URL,
  authUrl: AUTH_URL,
  searchUrl: SEARCH_URL,
  analyticsUrl: ANALYTICS_URL,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
});
const origin = `http://localhost:${PORT}`;

/** The signed-in browsers. A real application has a database, and a TokenStore in it. */
const sessions = new Map();

const files = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript'],
  '/connected.js': ['connected.js', 'text/javascript'],
  '/connect.min.js': ['../dist/connect.min.js', 'text/javascript'],
};

async function addressOfPages(request, response) {
  let session = sessionOf(request);
  if (!session) {
    const { code } = await tributary.users.create(`example-${randomUUID()}`);
    session = { user: tributary.user(await tributary.tokens.exchange(code)) };
    const id = randomUUID();
    sessions.set(id, session);
    response.setHeader('Set-Cookie', `session=${id}; HttpOnly; SameSite=Lax; Path=/`);
  }
  session.state = newState();
  const redirect_uri = `${origin}/connected`;
  const { url } = await session.user.connections.createLink({ state: session.state, redirect_uri });
  response.end(url);
}

/** The end of the pages: of a pop-up, this page closes it. */
function connected(request, response) {
  const result = readConnectRedirect(origin + request.url, { state: sessionOf(request)?.state ?? '' });
  const said = result.success ? `${result.connection_ids.length} connections` : result.error;
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><title>Connected</title><p id="result">${said}</p>
<script src="/connect.min.js"></script><script src="/connected.js"></script>`);
}

function sessionOf(request) {
  return sessions.get(/(?:^|; )session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1]);
}

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, origin);
  try {
    if (files[pathname]) {
      const [file, type] = files[pathname];
      response.setHeader('Content-Type', type).end(await readFile(new URL(file, import.meta.url)));
    } else if (pathname === '/address' && request.method === 'POST') await addressOfPages(request, response);
    else if (pathname === '/connected') connected(request, response);
    else response.writeHead(404).end();
  } catch (error) {
    console.error(error.name);
    response.writeHead(500).end();
  }
});
server.listen(PORT, '127.0.0.1', () => console.log(`The example is at ${origin}`));

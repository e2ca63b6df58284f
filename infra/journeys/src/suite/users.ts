import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { adminCommands, findRunningSuite } from '@tributary/local';
import { waitUntil } from '@tributary/test-environment';
import { Json, bearer, http } from './http';
import { type Ready } from './ready';

export interface ClientCredentials {
  client_id: string;
  client_secret: string;
}

export interface User extends ClientCredentials {
  service_user_id: number;
  app_user_id: string;
  access_token: string;
  refresh_token: string;
}

const repository = join(__dirname, '..', '..', '..', '..');
let counter = 0;

/** A new unique app_user_id. */
export function newAppUserId(): string {
  return `journey-${process.pid}-${Date.now()}-${counter++}@example.org`;
}

/** Runs an operator's command, as `npm run admin -- …` does. */
export function admin(...words: string[]): Promise<string> {
  return adminWithInput('', ...words);
}

/** Runs an operator's command with this text as its standard input. */
export async function adminWithInput(input: string, ...words: string[]): Promise<string> {
  const { file, before, environment } = adminProgram(words);
  const running = promisify(execFile)(file, [...before, ...words], { env: { ...process.env, ...environment } });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

/** The program of a command: `npm run admin` only looks up that of the service, and would double the processes. */
function adminProgram([word = '']: string[]): { file: string; before: string[]; environment?: Record<string, string> } {
  const command = process.env['JOURNEY_ADMIN'];
  if (command) return { file: 'sh', before: ['-c', `${command} "$@"`, 'sh'] };
  const home = process.env['JOURNEY_HOME'] ?? '';
  const { services = [] } = adminCommands[word] ?? {};
  const environment = services[0] && findRunningSuite(join(home, 'running.json'))?.environments[services[0]];
  return services.length === 1 && environment
    ? { file: process.execPath, before: [join(repository, 'services', services[0]!, 'dist', 'admin.js')], environment }
    : {
        file: process.execPath,
        before: [join(repository, 'infra', 'local', 'dist', 'main.js'), 'admin'],
        environment: { TRIBUTARY_HOME: home },
      };
}

/** Creates a client for one journey, so that journeys do not share an hourly rate limit. */
export async function newClient(ready: Ready, name: string): Promise<ClientCredentials> {
  const made = new Json(
    JSON.parse(
      await admin(
        'client',
        'create',
        '--name',
        name,
        '--redirect-uri',
        ready.client.redirect_uri,
        '--redirect-uri',
        'https://app.example.org/back',
        '--json',
      ),
    ),
  );
  return { client_id: made.text('client_id'), client_secret: made.text('client_secret') };
}

/** Creates a user and exchanges the authorization code for tokens. */
export async function newUser(
  ready: Ready,
  client: ClientCredentials,
  app_user_id: string = newAppUserId(),
): Promise<User> {
  const created = await http('POST', `${ready.base_url}/user-management/v1/user`, {
    headers: { client_id: client.client_id, client_secret: client.client_secret },
    form: { app_user_id },
  });
  const tokens = await http('POST', `${ready.auth_url}/oauth2/token`, {
    form: {
      client_id: client.client_id,
      client_secret: client.client_secret,
      code: created.json.text('code'),
      grant_type: 'authorization_code',
    },
  });
  return {
    ...client,
    app_user_id,
    service_user_id: created.json.number('service_user_id'),
    access_token: tokens.json.text('access_token'),
    refresh_token: tokens.json.text('refresh_token'),
  };
}

/**
 * Follows redirects with cookies, as a browser does, and returns the first URL that begins with `until`.
 * @param visited receives the address of each redirect
 */
export async function follow(start: string, until: string, visited: URL[] = []): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let hop = 0; hop < 15; hop++) {
    const reply = await http('GET', url, {
      headers: cookies.size ? { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') } : {},
    });
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = reply.headers.get('location');
    if (!location)
      throw new Error(`no redirect but ${reply.status} at ${new URL(url).pathname}: ${reply.text.slice(0, 300)}`);
    url = new URL(location, url).href;
    visited.push(new URL(url));
    if (url.startsWith(until)) return new URL(url);
  }
  throw new Error('the redirects do not end');
}

/** Connects the user to the sandbox without pages: the patient `username` grants all requested scopes. */
export function connect(
  ready: Ready,
  user: User,
  username: string,
  more: Record<string, string> = {},
  visited: URL[] = [],
): Promise<URL> {
  const query = new URLSearchParams({
    client_id: user.client_id,
    access_token: user.access_token,
    prompt: 'none',
    login_hint: username,
    ...more,
  });
  return follow(
    `${ready.base_url}/connect/system/clinical/${ready.sandbox.health_system_id}?${query.toString()}`,
    ready.client.redirect_uri,
    visited,
  );
}

/** The parameters of `connect` for a person: most people of the sandbox have a record in one release only. */
export function releaseOf(releases: readonly string[]): Record<string, string> {
  const [release = '', ...others] = releases;
  return others.length === 0 ? { fhirVersion: release } : {};
}

/** Waits until no connection of the user is collecting, and returns the connections. */
export function collected(ready: Ready, user: User): Promise<Json[]> {
  const whenOver = async (): Promise<Json[] | undefined> => {
    const reply = await http('GET', `${ready.base_url}/connect/v1/connections`, { headers: bearer(user.access_token) });
    const entries = reply.json.list('entry').map((entry) => new Json(entry));
    const isOver = entries.length > 0 && entries.every((entry) => entry.at('status') !== 'collecting');
    return isOver ? entries : undefined;
  };
  return waitUntil(whenOver, 'the connections of the user are collected', 50);
}

/** Exports a scope and downloads every file. */
export async function exportAll(
  ready: Ready,
  headers: Record<string, string>,
  query = '',
): Promise<{ manifest: Json; lines: string[] }> {
  const reply = await http('GET', `${ready.analytics_url}/bulk-data/r4/$export${query}`, { headers });
  if (reply.status !== 200) throw new Error(`the export answered ${reply.status}: ${reply.text}`);
  const lines: string[] = [];
  for (const output of reply.json.list('output').map((entry) => new Json(entry))) {
    const file = await http('GET', output.text('url'), { headers });
    if (file.status !== 200) throw new Error(`a file answered ${file.status}: ${file.text}`);
    lines.push(...file.text.split('\n').filter(Boolean));
  }
  return { manifest: reply.json, lines };
}

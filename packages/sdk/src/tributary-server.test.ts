import { type LocalServer, localServer, sendJson } from '../test/local-server.ts';
import type { ClientKey } from './tokens/client-assertion.ts';
import type { ClientIdentity } from './tokens/token-endpoint.ts';
import { TributaryServer } from './tributary-server.ts';

interface User {
  service_user_id: number;
  app_user_id: string;
}
type Answer = [status: number, body: object];

const userNotFound: Answer = [
  404,
  { success: false, error: 'this client has no such user', error_code: 'user_not_found' },
];

/** A suite with the rule of users that `openUser` depends on: the tokens of a user end with the user. */
class Suite {
  users: User[] = [{ service_user_id: 21, app_user_id: 'ida' }];
  /** Answers the next creation instead of this suite. */
  onCreate: ((user: User) => Answer) | undefined;
  #ended = false;
  #lastId = 21;

  delete(service_user_id: number): void {
    this.users = this.users.filter((user) => user.service_user_id !== service_user_id);
    this.endTokens();
  }

  endTokens(): void {
    this.#ended = true;
  }

  answer(path: string, text: string): Answer {
    if (path === '/user-management/v1/user') return this.#create((JSON.parse(text) as User).app_user_id);
    if (path === '/user-management/v1/user/auth-code') return this.#newCode(JSON.parse(text) as Partial<User>);
    if (path !== '/oauth2/token') return this.#ended ? [401, {}] : [200, { resourceType: 'Bundle', total: 3 }];
    if (text.includes('grant_type=refresh_token')) return [400, { error: 'invalid_grant' }];
    this.#ended = false;
    return [200, { access_token: crypto.randomUUID(), refresh_token: 'r', expires_in: 7200 }];
  }

  #create(app_user_id: string): Answer {
    const user = { service_user_id: ++this.#lastId, app_user_id };
    if (this.onCreate) return this.onCreate(user);
    this.users.push(user);
    return [200, { success: true, code: 'code', active: true, ...user }];
  }

  #newCode(selection: Partial<User>): Answer {
    const user = this.users.find(
      ({ service_user_id, app_user_id }) =>
        service_user_id === selection.service_user_id || app_user_id === selection.app_user_id,
    );
    return user ? [200, { success: true, code: 'code', active: true, ...user }] : userNotFound;
  }
}

const create = 'POST /user-management/v1/user';
const newCode = 'POST /user-management/v1/user/auth-code';
const token = 'POST /oauth2/token';

describe('the API of a client', () => {
  const url = 'https://api.example.org';
  const addresses = { baseUrl: url, authUrl: url, searchUrl: url, analyticsUrl: url };
  const privateKey: ClientKey = { key: {}, kid: 'k', algorithm: 'ES384' };

  it.each<[string, Partial<ClientIdentity>]>([
    ['clientId', { clientSecret: 's' }],
    ['clientId', { clientId: '', clientSecret: 's' }],
    ['clientId', { privateKey }],
    ['clientSecret', { clientId: 'c' }],
    ['clientSecret', { clientId: 'c', clientSecret: '' }],
    ['clientSecret', { clientId: 'c', clientSecret: '', privateKey }],
  ])('is not made without %s: %j', (name, credentials) => {
    const make = (): unknown => new TributaryServer({ ...addresses, ...(credentials as ClientIdentity) });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(new RegExp(`^${name} is missing: give the client_`));
  });

  it.each<[string, Partial<ClientIdentity>]>([
    ['a secret', { clientSecret: 's' }],
    ['a private key', { privateKey }],
  ])('is made with %s', (_name, credentials) => {
    expect(() => new TributaryServer({ ...addresses, clientId: 'c', ...credentials })).not.toThrow();
  });

  it('asks for the activity of the client with its credentials', async () => {
    const headers: unknown[] = [];
    const server = await localServer((request, response) => {
      headers.push([request.headers['client_id'], request.headers['client_secret']]);
      sendJson(response, 200, { success: true, days: [] });
    });
    const tributary = new TributaryServer({ ...server.addresses, clientId: 'c', clientSecret: 's' });
    expect(await tributary.activity(7)).toEqual({ success: true, days: [] });
    await tributary.activity();
    expect(server.requests).toEqual(['GET /connect/v1/activity?days=7', 'GET /connect/v1/activity?days=30']);
    expect(headers).toEqual([
      ['c', 's'],
      ['c', 's'],
    ]);
    server.close();
  });
});

describe('the API of a user that is opened', () => {
  let suite: Suite;
  let server: LocalServer;
  let tributary: TributaryServer;
  beforeEach(async () => {
    suite = new Suite();
    server = await localServer(({ url = '', text }, response) => sendJson(response, ...suite.answer(url, text)));
    tributary = new TributaryServer({ ...server.addresses, clientId: 'c', clientSecret: 's', maxRetryDelayMs: 1 });
  });
  afterEach(() => server.close());

  it('takes one request for a code when the user exists', async () => {
    await tributary.openUser('ida');
    expect(server.requests).toEqual([newCode, token]);
  });

  it('takes no request when this process has opened the user before', async () => {
    const [one, other] = await Promise.all([tributary.openUser('ida'), tributary.openUser('ida')]);
    expect(await tributary.openUser('ida')).toBe(one);
    expect(other).toBe(one);
    expect(server.requests).toEqual([newCode, token]);
    await tributary.openUser({ service_user_id: 21 });
    expect(server.requests).toEqual([newCode, token, newCode, token]);
  });

  it('is opened anew after an attempt that failed, after an hour, and after the end of the user', async () => {
    await expect(tributary.openUser({ app_user_id: 'noor' })).rejects.toMatchObject({ code: 'user_not_found' });
    await tributary.users.create('noor');
    const first = await tributary.openUser({ app_user_id: 'noor' });
    jest.useFakeTimers({ now: Date.now() + 3_600_001, doNotFake: ['setTimeout', 'performance'] });
    try {
      const second = await tributary.openUser({ app_user_id: 'noor' });
      expect(second).not.toBe(first);
      suite.delete(22);
      await expect(second.fhir('r4').search('Patient').summary()).rejects.toMatchObject({ code: 'user_not_found' });
      await tributary.users.create('noor');
      expect(await tributary.openUser({ app_user_id: 'noor' })).not.toBe(second);
    } finally {
      jest.useRealTimers();
    }
  });

  it('creates a user that does not exist', async () => {
    await tributary.openUser('noor');
    expect(server.requests).toEqual([newCode, create, token]);
    expect(suite.users).toHaveLength(2);
  });

  it('is that of the user whom a concurrent call creates', async () => {
    suite.onCreate = (user) => {
      suite.users.push(user);
      return [409, { success: false, error: 'this user already exists', error_code: 'user_already_exists' }];
    };
    await tributary.openUser('noor');
    expect(server.requests).toEqual([newCode, create, newCode, token]);
  });

  it.each(['ida', { app_user_id: 'ida' }, { service_user_id: 21 }])(
    'ends with the user %j, also when another user gets the app_user_id',
    async (selection) => {
      const user = await tributary.openUser(selection);
      suite.delete(21);
      const read = (): Promise<unknown> => user.fhir('r4').search('Patient').summary();
      const refusal = { name: 'ApiError', status: 404, code: 'user_not_found' };
      await expect(read()).rejects.toMatchObject(refusal);
      expect(suite.users).toEqual([]);
      await tributary.users.create('ida');
      await expect(read()).rejects.toMatchObject(refusal);
    },
  );

  it('stays that of the user after a change of the app_user_id', async () => {
    const user = await tributary.openUser('ida');
    suite.users = [{ service_user_id: 21, app_user_id: 'renamed' }];
    suite.endTokens();
    expect(await user.fhir('r4').search('Patient').summary()).toMatchObject({ total: 3 });
    expect(suite.users).toHaveLength(1);
  });
});

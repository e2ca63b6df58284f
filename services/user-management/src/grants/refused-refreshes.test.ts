import type { Express, Request, Response as TokenResponse } from 'express';
import request, { type Response } from 'supertest';
import {
  type ConnectedSystem,
  type Person,
  admin,
  connect,
  connectionsOf,
  newHealthSystem,
  newPerson,
  refreshIsDue,
} from '../../test/connect-flow';
import { workerCredentials } from '../../test/connection-scene';
import { type RunningForTest, runForTest } from '../../test/running-service';

/** A refusal as a health system sends it. */
interface Refusal {
  status: number;
  error?: string;
}

const refusalOf =
  ({ status, error }: Refusal) =>
  (response: TokenResponse): void =>
    void (error ? response.status(status).json({ error }) : response.status(status).send('<html>no</html>'));

describe('a refused refresh', () => {
  let service: RunningForTest;
  let another: Express;
  let person: Person;
  let at: ConnectedSystem;
  let connectionId: string;
  let firstToken: string;
  beforeAll(async () => {
    service = await runForTest();
    another = (await service.replica()).internal;
  });
  afterAll(() => service.stop());

  const begin = async (registration?: string[]): Promise<void> => {
    person = await newPerson(service);
    at = await newHealthSystem(service, ['r4'], registration);
    await connect(service, person, at);
    connectionId = (await connectionsOf(service, person))[0]?.connection_id ?? '';
    firstToken = ((await token({})).body as { token_id: string }).token_id;
    at.system.tokenRequests.length = 0;
  };
  beforeEach(() => begin());
  afterEach(() => at.system.close());

  const token = (body: object = { refused_token_id: firstToken }, app = service.internal): Promise<Response> =>
    request(app)
      .post(`/internal/v1/connections/${connectionId}/access-token`)
      .set('Authorization', workerCredentials)
      .send(body)
      .then((response) => response);
  const status = async (): Promise<string | undefined> => (await connectionsOf(service, person))[0]?.status;
  const grantTypes = (): (string | undefined)[] => at.system.tokenRequests.map(({ grant_type }) => grant_type);
  /** The health system refuses refreshes, and with `codes` also authorization codes. */
  const refuse = (refreshes: Refusal, codes?: Refusal): void => {
    at.system.behaviour.token = ({ body }: Request, response) => {
      const isRefresh = (body as Record<string, string>)['grant_type'] === 'refresh_token';
      if (!isRefresh && !codes) return false;
      refusalOf(isRefresh || !codes ? refreshes : codes)(response);
      return true;
    };
  };

  it.each<[string, Refusal, number]>([
    ['400 and invalid_request', { status: 400, error: 'invalid_request' }, 1],
    ['400 and a page', { status: 400 }, 1],
    ['403 and access_denied', { status: 403, error: 'access_denied' }, 1],
    ['422 and invalid_scope', { status: 422, error: 'invalid_scope' }, 1],
    ['401 and a page', { status: 401 }, 2],
    ['401 and invalid_token', { status: 401, error: 'invalid_token' }, 2],
    ['403 and a page', { status: 403 }, 2],
  ])('with %s ends the grant the third time, minutes apart', async (_what, refusal, requestsEach) => {
    refuse(refusal);
    const delays: number[] = [];
    for (const attempt of [1, 2]) {
      const refused = await token();
      expect([refused.status, refused.body]).toMatchObject([503, { error_code: 'refresh_postponed' }]);
      delays.push(Number(refused.headers['retry-after']));
      // Nothing is sent before the next refresh is due.
      for (const app of [service.internal, another]) expect((await token(undefined, app)).status).toBe(503);
      expect(at.system.tokenRequests).toHaveLength(attempt * requestsEach);
      expect(await status()).toBe('collecting');
      await refreshIsDue(service, person);
    }
    expect(delays[0]).toBeGreaterThan(100);
    expect(delays[1]).toBeGreaterThan(200);
    expect((await token()).status).toBe(409);
    expect(at.system.tokenRequests).toHaveLength(3 * requestsEach);
    expect((await connectionsOf(service, person))[0]).toMatchObject({
      status: 'needs_reauthorization',
      error: { code: 'needs_reauthorization' },
    });
  });

  it('with invalid_grant ends the grant at once, also with status 401', async () => {
    refuse({ status: 401, error: 'invalid_grant' });
    expect((await token()).status).toBe(409);
    expect([await status(), grantTypes()]).toEqual(['needs_reauthorization', ['refresh_token']]);
  });

  it('with invalid_grant ends nothing when another process has refreshed the grant meanwhile', async () => {
    at.system.behaviour.token = (_request, response) => {
      // The other process took the lease, and stored its tokens.
      void service
        .sql(
          `UPDATE health_system_grant SET token_id = gen_random_uuid(), next_refresh_at = NULL WHERE service_user_id = $1`,
          [person.serviceUserId],
        )
        .then(() => refusalOf({ status: 400, error: 'invalid_grant' })(response));
      return true;
    };
    expect((await token()).status).toBe(200);
    expect([await status(), grantTypes()]).toEqual(['collecting', ['refresh_token']]);
  });

  it('is sent once by two replicas that are asked at the same time', async () => {
    refuse({ status: 400, error: 'invalid_request' });
    at.system.behaviour.delayMs = 200;
    const asked = await Promise.all(
      Array.from({ length: 8 }, (_x, index) => token(undefined, index % 2 ? service.internal : another)),
    );
    expect(new Set(asked.map((response) => response.status))).toEqual(new Set([503]));
    expect(grantTypes()).toEqual(['refresh_token']);
  });

  it('of our client makes no user connect again, however often it happens', async () => {
    await at.system.close();
    const secret = ['--auth-method', 'client_secret_basic', '--client-secret', 's'];
    await begin(secret);
    const { host } = new URL(at.system.url);
    const register = (): Promise<string> =>
      admin(service, 'registration', 'set', '--host', host, '--client-id', 'our-client', ...secret);
    refuse({ status: 401 }, { status: 401 });
    for (let attempt = 0; attempt < 12; attempt++) {
      const refused = await token();
      expect([refused.status, refused.body]).toMatchObject([409, { error_code: 'client_not_accepted' }]);
      const sent = at.system.tokenRequests.length;
      expect((await token()).body).toMatchObject({ error_code: 'client_not_accepted' });
      expect(at.system.tokenRequests).toHaveLength(sent);
      const { retry_at } = (await connectionsOf(service, person))[0] ?? {};
      expect(Date.parse(retry_at ?? '')).toBeGreaterThan(Date.now() + 50_000);
      await refreshIsDue(service, person);
    }
    // The made-up code follows three refusals, with each of the two methods.
    expect(grantTypes().filter((type) => type === 'authorization_code')).toHaveLength(3 * 2);
    expect(at.system.tokenRequests).toHaveLength(12 + 3 * 2);
    expect(await status()).toBe('collecting');
    expect(await admin(service, 'connection', 'problems')).toContain(at.system.url);
    // After a change of the registration, the made-up code is sent again.
    at.system.tokenRequests.length = 0;
    await register();
    expect((await token()).status).toBe(409);
    expect(at.system.tokenRequests).toHaveLength(1 + 2);
    // Another user gets tokens: our client is accepted, so the refusals are about this grant.
    at.system.behaviour.token = undefined;
    await connect(service, await newPerson(service), at);
    refuse({ status: 401 }, { status: 401 });
    for (let attempt = 0; attempt < 3; attempt++) {
      await refreshIsDue(service, person);
      await token();
    }
    expect(await status()).toBe('needs_reauthorization');
  });

  it('with invalid_client waits for the operator, and sends one request each time after the first', async () => {
    await at.system.close();
    await begin(['--auth-method', 'client_secret_basic', '--client-secret', 's']);
    refuse({ status: 400, error: 'invalid_client' });
    for (let attempt = 0; attempt < 4; attempt++) {
      expect((await token()).body).toMatchObject({ error_code: 'client_not_accepted' });
      await refreshIsDue(service, person);
    }
    // Basic and the form the first time.
    expect(at.system.tokenRequests).toHaveLength(2 + 3);
    expect(await status()).toBe('collecting');
  });

  it.each(['unauthorized_client', 'invalid_client'])(
    'with %s ends the grant when the health system issues tokens for others',
    async (error) => {
      refuse({ status: 400, error });
      for (let attempt = 0; attempt < 4; attempt++) {
        expect((await token()).body).toMatchObject({ error_code: 'client_not_accepted' });
        await refreshIsDue(service, person);
      }
      expect(await admin(service, 'connection', 'problems')).toContain(at.system.url);
      await connect(service, await newPerson(service), at);
      at.system.tokenRequests.length = 0;
      for (let attempt = 0; attempt < 2; attempt++) {
        expect((await token()).body).toMatchObject({ error_code: 'refresh_postponed' });
        expect(await admin(service, 'connection', 'problems')).not.toContain(at.system.url);
        expect(await status()).toBe('collecting');
        await refreshIsDue(service, person);
      }
      expect((await token()).status).toBe(409);
      expect([await status(), grantTypes()]).toEqual([
        'needs_reauthorization',
        ['refresh_token', 'refresh_token', 'refresh_token'],
      ]);
    },
  );

  it('by a gateway that refuses everything ends the grant after a day', async () => {
    refuse({ status: 403 }, { status: 403 });
    for (let attempt = 0; attempt < 4; attempt++) {
      expect((await token()).status).toBe(503);
      await refreshIsDue(service, person);
    }
    expect(await status()).toBe('collecting');
    await service.sql(
      `UPDATE health_system_grant SET refused_since = now() - interval '25 hours' WHERE service_user_id = $1`,
      [person.serviceUserId],
    );
    expect((await token()).status).toBe(409);
    expect(await status()).toBe('needs_reauthorization');
  });

  it('is forgotten after a success', async () => {
    refuse({ status: 400, error: 'invalid_request' });
    for (let attempt = 0; attempt < 2; attempt++) {
      await token();
      await refreshIsDue(service, person);
    }
    at.system.behaviour.token = undefined;
    expect((await token()).status).toBe(200);
    expect(
      await service.sql(
        `SELECT refresh_failures, refresh_refusals, refused_since, next_refresh_at FROM health_system_grant
         WHERE service_user_id = $1`,
        [person.serviceUserId],
      ),
    ).toEqual([{ refresh_failures: 0, refresh_refusals: 0, refused_since: null, next_refresh_at: null }]);
  });

  it('by an outage is repeated with growing delays up to hours, and ends nothing', async () => {
    refuse({ status: 503 });
    const delays: number[] = [];
    for (let attempt = 0; attempt < 12; attempt++) {
      delays.push(Number((await token()).headers['retry-after']));
      await refreshIsDue(service, person);
    }
    expect(grantTypes()).toHaveLength(12);
    [60, 120, 240, 480, 960].forEach((seconds, index) => {
      expect(delays[index]).toBeGreaterThanOrEqual(seconds);
      expect(delays[index]).toBeLessThanOrEqual(seconds * 1.1 + 1);
    });
    expect(delays.at(-1)).toBeGreaterThanOrEqual(6 * 3600);
    expect(delays.at(-1)).toBeLessThan(7 * 3600);
    expect(await status()).toBe('collecting');
  });

  it('by throttling is repeated when the health system says', async () => {
    at.system.behaviour.token = (_request, response) =>
      Boolean(response.status(429).set('Retry-After', '1800').json({ error: 'slow_down' }));
    expect(Number((await token()).headers['retry-after'])).toBe(1800);
    expect((await token()).status).toBe(503);
    expect(grantTypes()).toEqual(['refresh_token']);
  });

  it('is not needed for a grant without a refresh token', async () => {
    await at.system.close();
    person = await newPerson(service);
    at = await newHealthSystem(service);
    at.system.behaviour.refresh = 'never';
    await connect(service, person, at);
    connectionId = (await connectionsOf(service, person))[0]?.connection_id ?? '';
    at.system.tokenRequests.length = 0;
    await service.sql('UPDATE health_system_grant SET expires_at = now() WHERE service_user_id = $1', [
      person.serviceUserId,
    ]);
    expect((await token({})).status).toBe(409);
    expect(at.system.tokenRequests).toEqual([]);
    expect((await connectionsOf(service, person))[0]).toMatchObject({
      status: 'needs_reauthorization',
      error: { message: expect.stringContaining('issued no refresh token') },
    });
  });

  it('follows a limited number of tokens that the health system rejects in their first request', async () => {
    let refused = firstToken;
    const responses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      const response = await token({ refused_token_id: refused, never_accepted: true });
      responses.push(response.status);
      refused = (response.body as { token_id?: string }).token_id ?? refused;
    }
    expect(responses).toEqual([200, 200, 200, 503, 503, 503]);
    expect(grantTypes()).toHaveLength(3);
    // A token that served is replaced without a limit.
    await refreshIsDue(service, person);
    expect((await token({ refused_token_id: refused })).status).toBe(200);
  });
});

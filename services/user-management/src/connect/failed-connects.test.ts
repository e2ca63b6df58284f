import { Writable } from 'node:stream';
import type { Response } from 'express';
import { pino } from 'pino';
import {
  type ConnectedSystem,
  type Person,
  connect,
  connectionsOf,
  newHealthSystem,
  newPerson,
} from '../../test/connect-flow';
import { type RunningForTest, runForTest } from '../../test/running-service';

describe('a failed connect', () => {
  let service: RunningForTest;
  let person: Person;
  let at: ConnectedSystem;
  let lines: string[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, next) => {
      lines.push(chunk.toString());
      next();
    },
  });
  beforeAll(async () => {
    service = await runForTest({}, pino({ level: 'info' }, sink));
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    person = await newPerson(service);
    at = await newHealthSystem(service);
    lines = [];
  });
  afterEach(() => at.system.close().catch(() => undefined));

  const outcome = (url: URL): Record<string, string> => Object.fromEntries(url.searchParams);
  const counted = (): Promise<unknown> =>
    service.sql(
      `SELECT reason FROM connect_outcome WHERE health_system_id = $1 AND kind = 'connect' AND reason <> 'started'`,
      [at.id],
    );
  const idToken = (fhirUser: string): string =>
    `x.${Buffer.from(JSON.stringify({ fhirUser })).toString('base64url')}.y`;
  const answersTokens = (answer: (response: Response) => unknown) => (): void =>
    void (at.system.behaviour.token = (_request, response) => Boolean(answer(response)));
  const answersAuthorization =
    (error: string, more: Record<string, string> = {}) =>
    (): void =>
      void Object.assign(at.system.behaviour, { authorize: error, authorizationResponse: more });

  it.each<[string, string, () => unknown]>([
    ['the user denies access', 'access_denied', answersAuthorization('access_denied')],
    [
      'the user denies access, which error_uri explains',
      'access_denied',
      answersAuthorization('access_denied', { error_uri: 'https://ehr.example/errors/urn%3Aoauth2%3Agrant%3Adenied' }),
    ],
    [
      'the user denies access, which only error_uri says',
      'access_denied',
      answersAuthorization('invalid_request', { error_uri: 'https://ehr.example/errors/urn:oauth2:user-denied' }),
    ],
    ['the user does not sign in', 'access_denied', answersAuthorization('login_required')],
    ['every set of scopes is refused', 'invalid_scope', answersAuthorization('invalid_scope')],
    [
      'every set of scopes is refused, which only the description says',
      'invalid_scope',
      answersAuthorization('invalid_request', { error_description: 'The scope patient/*.read is not allowed' }),
    ],
    ['the client is refused at the sign-in', 'not_registered', answersAuthorization('unauthorized_client')],
    ['the authorization endpoint fails', 'system_unavailable', answersAuthorization('server_error')],
    ['the authorization endpoint is overloaded', 'system_unavailable', answersAuthorization('temporarily_unavailable')],
    ['the authorization endpoint makes up an error', 'system_unavailable', answersAuthorization('<script>')],
    ['the error has the name of a property', 'system_unavailable', answersAuthorization('constructor')],
    ['our request is not understood', 'server_error', answersAuthorization('invalid_request')],
    [
      'another issuer responds',
      'server_error',
      () => {
        at.system.behaviour.smart = { issuer: 'https://ehr.example/auth' };
        at.system.behaviour.authorizationResponse = { iss: 'https://other.example/auth' };
      },
    ],
    [
      'discovery finds nothing',
      'system_unavailable',
      () => void Object.assign(at.system.behaviour, { smart: null, metadata: false }),
    ],
    ['the token endpoint fails', 'system_unavailable', answersTokens((response) => response.status(500).send('oops'))],
    ['the token endpoint is overloaded', 'system_unavailable', answersTokens((response) => response.status(429).end())],
    [
      'the token endpoint is not there',
      'system_unavailable',
      answersTokens((response) => response.status(404).send('<html>')),
    ],
    ['the token endpoint sends HTML', 'system_unavailable', answersTokens((response) => response.send('<html>'))],
    [
      'the code has expired',
      'expired',
      answersTokens((response) => response.status(400).json({ error: 'invalid_grant' })),
    ],
    [
      'the token endpoint does not know our client',
      'not_registered',
      () => void (at.system.behaviour.knowsClient = () => false),
    ],
    [
      'the token endpoint refuses our client with 403',
      'not_registered',
      answersTokens((response) => response.status(403).json({ error: 'unauthorized_client' })),
    ],
    [
      'the token endpoint refuses the scopes',
      'invalid_scope',
      answersTokens((response) => response.status(400).json({ error: 'invalid_scope' })),
    ],
    [
      'the token endpoint does not understand our request',
      'server_error',
      answersTokens((response) => response.status(400).json({ error: 'unsupported_grant_type' })),
    ],
    ['nobody is named as the patient', 'no_patient', () => void (at.system.behaviour.patient = undefined)],
    ...['Practitioner/7', 'https://ehr.example/fhir/RelatedPerson/7', 'Person/7'].map(
      (fhirUser): [string, string, () => unknown] => [
        `the account is that of a ${fhirUser.split('/').at(-2)}`,
        'no_patient',
        answersTokens((response) => response.json({ access_token: 'access-1', id_token: idToken(fhirUser) })),
      ],
    ),
    [
      'our tables cannot be written',
      'server_error',
      () =>
        void (at.system.behaviour.beforeToken = async () => {
          await service.sql(`ALTER TABLE health_system_grant ADD CONSTRAINT no_more CHECK (false) NOT VALID`);
        }),
    ],
    ['our client is not registered', 'not_registered', () => service.sql('DELETE FROM registration')],
  ])('when %s is reported as %s', async (_what, error, misbehave) => {
    await misbehave();
    const end = await connect(service, person, at, { state: 's' });
    await service.sql('ALTER TABLE health_system_grant DROP CONSTRAINT IF EXISTS no_more');
    expect(outcome(end)).toEqual({ keep: '1', success: 'false', error, health_system_id: String(at.id), state: 's' });
    expect(await connectionsOf(service, person)).toEqual([]);
    expect(await counted()).toEqual([{ reason: error }]);
    const logged = lines.filter((line) => /"level":(40|50)/.test(line)).join('');
    expect(logged).not.toMatch(/script|patient\/\*|Practitioner|access-1|denied\\?"?:|urn/);
    if (error === 'invalid_scope') expect(logged).toContain('`registration set --scopes`');
    if (error === 'not_registered') expect(logged).toContain('`registration set`');
    expect(logged).not.toBe('');
  });

  it('is reported as server_error when the authorization request cannot be stored', async () => {
    await service.sql('ALTER TABLE pending_authorization ADD CONSTRAINT no_more CHECK (false) NOT VALID');
    const end = await connect(service, person, at);
    await service.sql('ALTER TABLE pending_authorization DROP CONSTRAINT no_more');
    expect(outcome(end)).toMatchObject({ success: 'false', error: 'server_error' });
    expect(lines.join('')).toContain('an authorization cannot be started');
  });

  it('is reported as user_inactive when the user is deactivated while at the health system', async () => {
    at.system.behaviour.beforeToken = async () => {
      await service.sql(`UPDATE service_user SET state = 'inactive' WHERE service_user_id = $1`, [
        person.serviceUserId,
      ]);
    };
    expect(outcome(await connect(service, person, at))).toMatchObject({ success: 'false', error: 'user_inactive' });
    expect(await service.sql('SELECT * FROM connection WHERE service_user_id = $1', [person.serviceUserId])).toEqual(
      [],
    );
  });

  it('does not hide the connections that were made before it', async () => {
    const two = await newHealthSystem(service, ['stu3', 'r4']);
    two.system.behaviour.apart = true;
    two.system.behaviour.token = (_request, response) => {
      if (two.system.authorizations.length === 1) return false;
      response.status(500).send('oops');
      return true;
    };
    const end = await connect(service, person, two);
    const connections = await connectionsOf(service, person);
    expect(outcome(end)).toMatchObject({ success: 'true', connection_id: connections[0]?.connection_id });
    expect(connections.map(({ fhirVersion }) => fhirVersion)).toEqual(['r4']);
    await two.system.close();
  });

  it('is none when the issuer of the response differs by a final slash only', async () => {
    for (const [issuer, iss] of [
      ['https://ehr.example/auth', 'https://ehr.example/auth/'],
      ['https://ehr.example/auth/', 'https://ehr.example/auth'],
    ] as const) {
      const slashed = await newHealthSystem(service);
      slashed.system.behaviour.smart = { issuer };
      slashed.system.behaviour.authorizationResponse = { iss };
      expect(outcome(await connect(service, person, slashed))).toMatchObject({ success: 'true' });
      await slashed.system.close();
    }
  });
});

import express from 'express';
import { adminProgram } from '../admin-program';
import { type ConnectedSystem, admin, newHealthSystem } from '../../test/connect-flow';
import { listen } from '../../test/http-server';
import { type RunningForTest, runForTest } from '../../test/running-service';
import type { CheckStep } from './check-registration';

type Result = Pick<CheckStep, 'step' | 'result'>;

describe('registration test', () => {
  let service: RunningForTest;
  let at: ConnectedSystem;
  beforeAll(async () => {
    service = await runForTest();
  });
  afterAll(() => service.stop());
  afterEach(() => at.system.close());

  /** The steps, and whether the command succeeds. */
  const steps = async (
    healthSystem: string,
    ...words: string[]
  ): Promise<{ steps: CheckStep[]; succeeds: boolean }> => {
    const lines: string[] = [];
    const program = adminProgram((line) => lines.push(line), service.environment);
    const succeeds = await program
      .parseAsync(['registration', 'test', healthSystem, '--json', ...words], { from: 'user' })
      .then(
        () => true,
        () => false,
      );
    return { steps: lines.map((line) => JSON.parse(line) as CheckStep), succeeds };
  };
  const base = (): string => `${at.system.url}/fhir/r4`;
  const results = (found: CheckStep[]): string[] => found.map(({ step, result }: Result) => `${step}: ${result}`);
  const basic = (): string[] => ['--auth-method', 'client_secret_basic', '--client-secret', 'secret'];

  it('succeeds with every step, for an id of the directory and for a FHIR base', async () => {
    at = await newHealthSystem(service);
    for (const name of [String(at.id), base()]) {
      const { steps: found, succeeds } = await steps(name);
      expect(results(found)).toEqual([
        'registration: ok',
        'smart-configuration: ok',
        'metadata: ok',
        'addresses: ok',
        'scopes: ok',
        'authorization request: ok',
        'client authentication by none: ok',
      ]);
      expect(succeeds).toBe(true);
    }
    expect(at.system.tokenRequests).toHaveLength(2);
    expect(await service.sql('SELECT 1 FROM pending_authorization')).toEqual([]);
    expect(await admin(service, 'registration', 'test', base())).toContain(
      '  ok       registration: client_id our-client',
    );
  });

  it('says that a health system accepts another method than the registered one', async () => {
    at = await newHealthSystem(service, ['r4'], basic());
    at.system.behaviour.knowsClient = ({ body }) => (body as Record<string, string>)['client_secret'] === 'secret';
    const { steps: found, succeeds } = await steps(base());
    expect(results(found).slice(-2)).toEqual([
      'client authentication by client_secret_basic: warning',
      'client authentication by client_secret_post: warning',
    ]);
    expect(found.at(-1)?.advice).toContain('--auth-method client_secret_post');
    expect(succeeds).toBe(true);
  });

  it('fails when no method is accepted', async () => {
    at = await newHealthSystem(service, ['r4'], basic());
    at.system.behaviour.token = (_request, response) => Boolean(response.status(401).send('<html>no</html>'));
    const { steps: found, succeeds } = await steps(base());
    expect(results(found).slice(-3)).toEqual([
      'client authentication by client_secret_basic: warning',
      'client authentication by client_secret_post: warning',
      'client authentication: failed',
    ]);
    expect(found.at(-1)?.advice).toContain('registration set');
    expect(succeeds).toBe(false);
  });

  it('does not take an error of the token endpoint for a verdict', async () => {
    at = await newHealthSystem(service, ['r4'], basic());
    at.system.behaviour.token = (_request, response) => Boolean(response.status(500).send('later'));
    const { steps: found } = await steps(base());
    expect(found.at(-1)).toMatchObject({ result: 'failed', advice: expect.stringContaining('try again') });
    expect(at.system.tokenRequests).toHaveLength(1);
  });

  it('explains a broken discovery, and continues without smart-configuration', async () => {
    at = await newHealthSystem(service);
    at.system.behaviour.smart = null;
    expect(results((await steps(base())).steps).slice(0, 3)).toEqual([
      'registration: ok',
      'smart-configuration: warning',
      'metadata: ok',
    ]);
    at.system.behaviour.metadata = false;
    const { steps: found, succeeds } = await steps(base());
    expect(results(found).at(-1)).toBe('discovery: failed');
    expect(found.at(-1)?.message).toContain('/metadata responded with 200');
    expect(succeeds).toBe(false);
  });

  it('explains a host that does not respond, and a missing registration', async () => {
    at = await newHealthSystem(service);
    await admin(service, 'registration', 'remove', '--host', new URL(at.system.url).host);
    expect(results((await steps(base())).steps)).toEqual([
      'registration: failed',
      'smart-configuration: ok',
      'metadata: ok',
      'addresses: ok',
    ]);
    await at.system.close();
    const { steps: found } = await steps(base());
    expect(found[1]).toMatchObject({ result: 'failed', message: expect.stringContaining('ECONNREFUSED') });
    at = await newHealthSystem(service);
    expect((await steps('999999999')).succeeds).toBe(false);
    expect((await steps('not an address')).succeeds).toBe(false);
  });

  it('finds an endpoint of another release', async () => {
    at = await newHealthSystem(service);
    const { steps: found } = await steps(base(), '--release', 'stu3');
    expect(found.find(({ step }) => step === 'metadata')).toMatchObject({
      result: 'failed',
      message: expect.stringContaining('FHIR 4.0.1'),
    });
  });

  it('compares the scopes with the announced ones', async () => {
    at = await newHealthSystem(service);
    const scopes = async (): Promise<CheckStep | undefined> =>
      (await steps(base())).steps.find(({ step }) => step === 'scopes');
    at.system.behaviour.smart = { scopes_supported: ['launch/patient', 'patient/Observation.rs'] };
    expect(await scopes()).toMatchObject({ result: 'warning', advice: expect.stringContaining('refresh token') });
    const { host } = new URL(at.system.url);
    const registered = 'launch/patient offline_access patient/Observation.rs patient/Condition.rs';
    const words = `registration set --host ${host} --client-id our-client --auth-method none --scopes`.split(' ');
    await admin(service, ...words, registered);
    expect(await scopes()).toMatchObject({
      result: 'warning',
      message: expect.stringMatching(/not in scopes_supported: offline_access patient\/Condition\.rs$/),
    });
  });

  it.each(['unauthorized_client', 'invalid_scope'])(
    'shows the error %s of the authorization request',
    async (error) => {
      at = await newHealthSystem(service);
      at.system.behaviour.authorize = error;
      expect((await steps(base())).steps.find(({ step }) => step === 'authorization request')).toMatchObject({
        result: 'failed',
        message: expect.stringContaining(error),
      });
    },
  );

  it('reads the JWK Set of our client at its public address', async () => {
    at = await newHealthSystem(service, ['r4'], ['--auth-method', 'private_key_jwt']);
    const served = await listen(
      express().get('/connect/jwks.json', (request, response) => void service.app(request, response)),
    );
    const own = { ...service.environment, BASE_URL: served.url };
    const lines: string[] = [];
    await adminProgram((line) => lines.push(line), own).parseAsync(['registration', 'test', base()], { from: 'user' });
    expect(lines.join('\n')).toMatch(/ok +JWK Set: .*has all 2 keys/);
    await served.close();
    const { steps: found } = await steps(base());
    expect(found.find(({ step }) => step === 'JWK Set')).toMatchObject({ result: 'failed' });
  });
});

import request from 'supertest';
import { connectUrl } from '../../test/connect-flow';
import { connectionScene } from '../../test/connection-scene';

const launch = 'launch/patient openid fhirUser offline_access';

describe('a client that asks for single types', () => {
  const scene = connectionScene();

  const askFor = (...types: string[]): void => {
    scene.service.auth.clients.get(scene.person.clientId)!.requested_types = types;
  };
  const requested = (): (string | undefined)[] => scene.at.system.authorizations.map(({ scope }) => scope);
  const refusal = async (scopeTypes: string): Promise<unknown> => {
    const { pathname, search } = new URL(connectUrl(scene.person, scene.at.id, { scope_types: scopeTypes }));
    const { status, body } = await request(scene.service.app).get(`${pathname}${search}`);
    const { error_code, error } = body as { error_code: string; error: string };
    return [status, error_code, error];
  };

  it('requests scopes for these types only, and records them in the consent', async () => {
    askFor('Condition', 'Observation', 'Patient');
    scene.at.system.behaviour.grantedScope = 'launch/patient patient/*.read';
    const connection = await scene.connected();
    expect(requested()).toEqual([`${launch} patient/Condition.read patient/Observation.read patient/Patient.read`]);
    expect(connection).toMatchObject({
      consented_types: ['Condition', 'Observation', 'Patient'],
      granted_scope: 'launch/patient patient/*.read',
    });
    expect((await scene.connections())[0]?.consent).toMatchObject({
      types: ['Condition', 'Observation', 'Patient'],
      scopes_granted: ['launch/patient', 'patient/*.read'],
    });
  });

  it('never requests more after a refusal', async () => {
    askFor('Observation', 'Patient');
    scene.at.system.behaviour.refusesScopes = () => true;
    expect((await scene.connect()).searchParams.get('error')).toBe('invalid_scope');
    expect(requested().length).toBeGreaterThan(1);
    for (const scope of requested())
      expect(
        scope?.split(' ').filter((value) => /\//.test(value) && !/^launch|\/(Patient|Observation)\./.test(value)),
      ).toEqual([]);
  });

  it('does not change the scopes with which other clients begin', async () => {
    askFor('Observation', 'Patient');
    scene.at.system.behaviour.refusesScopes = (scopes) => scopes.some((scope) => scope.endsWith('.read'));
    await scene.connect();
    expect(await scene.service.sql('SELECT FROM accepted_scope_step')).toEqual([]);
  });

  it('can ask a user for fewer of them, and not for others', async () => {
    askFor('Condition', 'Observation', 'Patient');
    const connection = await scene.connected();
    await scene.connect({ scope_types: 'Observation' });
    expect(requested()[1]).toBe(`${launch} patient/Observation.read patient/Patient.read`);
    expect((await scene.forCollection(connection.connection_id)).consented_types).toEqual(['Observation', 'Patient']);
    expect(await refusal('Observation,Goal')).toEqual([
      400,
      'invalid_request',
      'scope_types: the client does not ask for Goal',
    ]);
    for (const types of ['', 'observation', 'Observation,', '*'])
      expect(await refusal(types)).toEqual([400, 'invalid_request', expect.stringContaining('scope_types')]);
  });

  it('is any client whose connect link names the types', async () => {
    const connection = await scene.connected();
    expect(connection.consented_types).toBeNull();
    await scene.connect({ scope_types: 'Goal' });
    expect(requested()[1]).toBe(`${launch} patient/Goal.read patient/Patient.read`);
    await scene.connect();
    expect((await scene.forCollection(connection.connection_id)).consented_types).toBeNull();
  });
});

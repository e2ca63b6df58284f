import { requestedTypes } from '@tributary/contracts';
import { connect, connectionsOf, newPerson } from '../../test/connect-flow';
import { connectionScene } from '../../test/connection-scene';

describe('requested scopes', () => {
  const scene = connectionScene();

  const launch = 'launch/patient openid fhirUser offline_access';
  const ofTypes = (interactions: string): string =>
    requestedTypes('r4')
      .map((type) => `patient/${type}.${interactions}`)
      .join(' ');
  const requested = (): (string | undefined)[] => scene.at.system.authorizations.map(({ scope }) => scope);
  const succeeds = async (): Promise<URL> => {
    const end = await scene.connect();
    expect(end.searchParams.get('success')).toBe('true');
    return end;
  };
  const accepts = (...accepted: string[]): void =>
    void (scene.at.system.behaviour.refusesScopes = (scopes) => scopes.some((scope) => !accepted.includes(scope)));

  it('are tried one after the other until they are accepted', async () => {
    scene.at.system.behaviour.refusesScopes = (scopes) => scopes.some((scope) => /\.read$|\*/.test(scope));
    await succeeds();
    expect(requested()).toEqual([
      `${launch} patient/*.read`,
      `${launch} ${ofTypes('read')}`,
      `${launch} patient/*.rs`,
      `${launch} ${ofTypes('rs')}`,
    ]);
    const [grant] = await scene.service.sql('SELECT requested_scope, scope FROM health_system_grant');
    expect(grant).toEqual({ requested_scope: requested()[3], scope: requested()[3] });
  });

  it('are the next ones also when the token endpoint refuses them', async () => {
    scene.at.system.behaviour.token = (_request, response) => {
      if (scene.at.system.authorizations.length > 1) return false;
      response.status(400).json({ error: 'invalid_scope' });
      return true;
    };
    await succeeds();
    expect(requested()).toHaveLength(2);
  });

  it('are tried six times at most', async () => {
    scene.at.system.behaviour.refusesScopes = () => true;
    expect((await scene.connect()).searchParams.get('error')).toBe('invalid_scope');
    expect(new Set(requested()).size).toBe(6);
    expect(requested()).toHaveLength(6);
  });

  it('begin with what another user succeeded with, for a day', async () => {
    scene.at.system.behaviour.refusesScopes = (scopes) => scopes.includes('patient/*.read');
    await succeeds();
    const other = await newPerson(scene.service);
    await connect(scene.service, other, scene.at);
    const perType = `${launch} ${ofTypes('read')}`;
    expect(requested()).toEqual([`${launch} patient/*.read`, perType, perType]);
    expect(await connectionsOf(scene.service, other)).toHaveLength(1);
    const [row] = await scene.service.sql(
      `SELECT step, ceil(extract(epoch FROM expires_at - now()) / 3600)::int AS hours FROM accepted_scope_step
       WHERE fhir_base_url = $1 AND client_id = 'our-client'`,
      [`${scene.at.system.url}/fhir/r4`],
    );
    expect(row).toEqual({ step: 'types', hours: 24 });
    await scene.service.sql('UPDATE accepted_scope_step SET expires_at = now()');
    await connect(scene.service, other, scene.at);
    expect(requested().slice(3)).toEqual([`${launch} patient/*.read`, perType]);
    await connect(scene.service, other, scene.at);
    expect(requested().slice(5)).toEqual([perType]);
  });

  it('are remembered once by concurrent users, and corrected after another refusal', async () => {
    scene.at.system.behaviour.refusesScopes = (scopes) => scopes.includes('patient/*.read');
    const people = await Promise.all([1, 2, 3].map(() => newPerson(scene.service)));
    await Promise.all(people.map((each) => connect(scene.service, each, scene.at)));
    const steps = (): Promise<unknown> =>
      scene.service.sql('SELECT step FROM accepted_scope_step WHERE fhir_base_url = $1', [
        `${scene.at.system.url}/fhir/r4`,
      ]);
    expect(await steps()).toEqual([{ step: 'types' }]);
    scene.at.system.behaviour.refusesScopes = (scopes) => scopes.some((scope) => scope.endsWith('.read'));
    await succeeds();
    expect(await steps()).toEqual([{ step: 'wildcard_other_syntax' }]);
  });

  it('contain announced granular scopes; the granted ones are recorded as they were granted', async () => {
    const granular =
      'patient/Observation.rs?category=http://terminology.hl7.org/CodeSystem/observation-category|laboratory';
    const supported = ['openid', 'fhirUser', 'launch/patient', 'patient/Patient.rs', granular];
    scene.at.system.behaviour.smart = { scopes_supported: supported };
    accepts(...supported);
    scene.at.system.behaviour.grantedScope = `launch/patient ${granular}  patient/Patient.r`;
    await succeeds();
    expect(requested()).toEqual([`launch/patient openid fhirUser patient/Patient.rs ${granular}`]);
    const [grant] = await scene.service.sql(
      'SELECT requested_scope, scope FROM health_system_grant WHERE service_user_id = $1',
      [scene.person.serviceUserId],
    );
    expect(grant).toEqual({ requested_scope: requested()[0], scope: scene.at.system.behaviour.grantedScope });
    expect((await scene.connections())[0]?.granted_scopes).toEqual(['launch/patient', granular, 'patient/Patient.r']);
  });

  it('contain offline_access where only capabilities announce it, and not once that is refused', async () => {
    const supported = ['openid', 'fhirUser', 'launch/patient', 'online_access', 'patient/*.rs'];
    scene.at.system.behaviour.smart = { scopes_supported: supported, capabilities: ['permission-offline'] };
    accepts(...supported);
    await succeeds();
    expect(requested()).toEqual([
      `${launch} patient/*.rs`,
      'launch/patient openid fhirUser online_access patient/*.rs',
    ]);
  });

  it('contain no offline_access once everything with it is refused', async () => {
    scene.at.system.behaviour.refusesScopes = (scopes) => scopes.includes('offline_access');
    await succeeds();
    expect(requested()).toHaveLength(6);
    expect(requested()[5]).toBe('launch/patient openid fhirUser patient/*.read');
    await connect(scene.service, await newPerson(scene.service), scene.at);
    expect(requested()).toHaveLength(7);
  });

  it('are those of our registration where there are any, and no others', async () => {
    const host = new URL(scene.at.system.url).host;
    await scene.service.sql('UPDATE registration SET scopes = $2 WHERE pattern = $1', [host, 'patient/Patient.read']);
    await succeeds();
    accepts();
    expect((await scene.connect()).searchParams.get('error')).toBe('invalid_scope');
    expect(requested()).toEqual(['patient/Patient.read', 'patient/Patient.read']);
  });

  it('name the types of all requested releases', async () => {
    scene.at = await scene.open(['dstu2', 'r4']);
    scene.at.system.behaviour.refusesScopes = (scopes) => scopes.includes('patient/*.read');
    await succeeds();
    expect(requested()[1]).toMatch(/patient\/MedicationOrder\.read .*patient\/MedicationRequest\.read/);
  });
});

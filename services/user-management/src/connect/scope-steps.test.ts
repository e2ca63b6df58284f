import { requestedTypes } from '@tributary/contracts';
import { connect, connectionsOf, newHealthSystem, newPerson } from '../../test/connect-flow';
import type { ConnectedSystem, Person } from '../../test/connect-flow';
import { type RunningForTest, runForTest } from '../../test/running-service';

describe('requested scopes', () => {
  let service: RunningForTest;
  let person: Person;
  let at: ConnectedSystem;
  beforeAll(async () => {
    service = await runForTest();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    person = await newPerson(service);
    at = await newHealthSystem(service);
  });
  afterEach(() => at.system.close());

  const launch = 'launch/patient openid fhirUser offline_access';
  const ofTypes = (interactions: string): string =>
    requestedTypes('r4')
      .map((type) => `patient/${type}.${interactions}`)
      .join(' ');
  const requested = (): (string | undefined)[] => at.system.authorizations.map(({ scope }) => scope);
  const succeeds = async (): Promise<URL> => {
    const end = await connect(service, person, at);
    expect(end.searchParams.get('success')).toBe('true');
    return end;
  };
  const accepts = (...accepted: string[]): void =>
    void (at.system.behaviour.refusesScopes = (scopes) => scopes.some((scope) => !accepted.includes(scope)));

  it('are tried one after the other until they are accepted', async () => {
    at.system.behaviour.refusesScopes = (scopes) => scopes.some((scope) => /\.read$|\*/.test(scope));
    await succeeds();
    expect(requested()).toEqual([
      `${launch} patient/*.read`,
      `${launch} ${ofTypes('read')}`,
      `${launch} patient/*.rs`,
      `${launch} ${ofTypes('rs')}`,
    ]);
    const [grant] = await service.sql('SELECT requested_scope, scope FROM health_system_grant');
    expect(grant).toEqual({ requested_scope: requested()[3], scope: requested()[3] });
  });

  it('are the next ones also when the token endpoint refuses them', async () => {
    at.system.behaviour.token = (_request, response) => {
      if (at.system.authorizations.length > 1) return false;
      response.status(400).json({ error: 'invalid_scope' });
      return true;
    };
    await succeeds();
    expect(requested()).toHaveLength(2);
  });

  it('are tried six times at most', async () => {
    at.system.behaviour.refusesScopes = () => true;
    expect((await connect(service, person, at)).searchParams.get('error')).toBe('invalid_scope');
    expect(new Set(requested()).size).toBe(6);
    expect(requested()).toHaveLength(6);
  });

  it('begin with what another user succeeded with, for a day', async () => {
    at.system.behaviour.refusesScopes = (scopes) => scopes.includes('patient/*.read');
    await succeeds();
    const other = await newPerson(service);
    await connect(service, other, at);
    const perType = `${launch} ${ofTypes('read')}`;
    expect(requested()).toEqual([`${launch} patient/*.read`, perType, perType]);
    expect(await connectionsOf(service, other)).toHaveLength(1);
    const [row] = await service.sql(
      `SELECT step, ceil(extract(epoch FROM expires_at - now()) / 3600)::int AS hours FROM accepted_scope_step
       WHERE fhir_base_url = $1 AND client_id = 'our-client'`,
      [`${at.system.url}/fhir/r4`],
    );
    expect(row).toEqual({ step: 'types', hours: 24 });
    await service.sql('UPDATE accepted_scope_step SET expires_at = now()');
    await connect(service, other, at);
    expect(requested().slice(3)).toEqual([`${launch} patient/*.read`, perType]);
    await connect(service, other, at);
    expect(requested().slice(5)).toEqual([perType]);
  });

  it('are remembered once by concurrent users, and corrected after another refusal', async () => {
    at.system.behaviour.refusesScopes = (scopes) => scopes.includes('patient/*.read');
    const people = await Promise.all([1, 2, 3].map(() => newPerson(service)));
    await Promise.all(people.map((each) => connect(service, each, at)));
    const steps = (): Promise<unknown> =>
      service.sql('SELECT step FROM accepted_scope_step WHERE fhir_base_url = $1', [`${at.system.url}/fhir/r4`]);
    expect(await steps()).toEqual([{ step: 'types' }]);
    at.system.behaviour.refusesScopes = (scopes) => scopes.some((scope) => scope.endsWith('.read'));
    await succeeds();
    expect(await steps()).toEqual([{ step: 'wildcard_other_syntax' }]);
  });

  it('contain announced granular scopes; the granted ones are recorded as they were granted', async () => {
    const granular =
      'patient/Observation.rs?category=http://terminology.hl7.org/CodeSystem/observation-category|laboratory';
    const supported = ['openid', 'fhirUser', 'launch/patient', 'patient/Patient.rs', granular];
    at.system.behaviour.smart = { scopes_supported: supported };
    accepts(...supported);
    at.system.behaviour.grantedScope = `launch/patient ${granular}  patient/Patient.r`;
    await succeeds();
    expect(requested()).toEqual([`launch/patient openid fhirUser patient/Patient.rs ${granular}`]);
    const [grant] = await service.sql(
      'SELECT requested_scope, scope FROM health_system_grant WHERE service_user_id = $1',
      [person.serviceUserId],
    );
    expect(grant).toEqual({ requested_scope: requested()[0], scope: at.system.behaviour.grantedScope });
    expect((await connectionsOf(service, person))[0]?.granted_scopes).toEqual([
      'launch/patient',
      granular,
      'patient/Patient.r',
    ]);
  });

  it('contain offline_access where only capabilities announce it, and not once that is refused', async () => {
    const supported = ['openid', 'fhirUser', 'launch/patient', 'online_access', 'patient/*.rs'];
    at.system.behaviour.smart = { scopes_supported: supported, capabilities: ['permission-offline'] };
    accepts(...supported);
    await succeeds();
    expect(requested()).toEqual([
      `${launch} patient/*.rs`,
      'launch/patient openid fhirUser online_access patient/*.rs',
    ]);
  });

  it('contain no offline_access once everything with it is refused', async () => {
    at.system.behaviour.refusesScopes = (scopes) => scopes.includes('offline_access');
    await succeeds();
    expect(requested()).toHaveLength(6);
    expect(requested()[5]).toBe('launch/patient openid fhirUser patient/*.read');
    await connect(service, await newPerson(service), at);
    expect(requested()).toHaveLength(7);
  });

  it('are those of our registration where there are any, and no others', async () => {
    const host = new URL(at.system.url).host;
    await service.sql('UPDATE registration SET scopes = $2 WHERE pattern = $1', [host, 'patient/Patient.read']);
    await succeeds();
    accepts();
    expect((await connect(service, person, at)).searchParams.get('error')).toBe('invalid_scope');
    expect(requested()).toEqual(['patient/Patient.read', 'patient/Patient.read']);
  });

  it('name the types of all requested releases', async () => {
    await at.system.close();
    at = await newHealthSystem(service, ['dstu2', 'r4']);
    at.system.behaviour.refusesScopes = (scopes) => scopes.includes('patient/*.read');
    await succeeds();
    expect(requested()[1]).toMatch(/patient\/MedicationOrder\.read .*patient\/MedicationRequest\.read/);
  });
});

import request from 'supertest';
import {
  type ConnectedSystem,
  type Person,
  connect,
  connectUrl,
  connectionsOf,
  newHealthSystem,
  newPerson,
} from '../../test/connect-flow';
import { type RunningForTest, runForTest } from '../../test/running-service';

describe('reconnecting', () => {
  let service: RunningForTest;
  let person: Person;
  let at: ConnectedSystem;
  beforeAll(async () => {
    service = await runForTest();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    person = await newPerson(service);
    at = await newHealthSystem(service, ['dstu2', 'r4']);
  });
  afterEach(() => at.system.close());

  const ids = async (): Promise<string[]> => (await connectionsOf(service, person)).map((entry) => entry.connection_id);
  const refusal = async (person: Person, healthSystemId: number, more: Record<string, string>): Promise<unknown[]> => {
    const { pathname, search } = new URL(connectUrl(person, healthSystemId, more));
    const response = await request(service.app).get(`${pathname}${search}`);
    return [response.status, (response.body as { error_code: string }).error_code];
  };

  it('the same health system keeps the ids of its connections', async () => {
    await connect(service, person, at);
    const before = await ids();
    await connect(service, person, at);
    expect(await ids()).toEqual(before);
  });

  it('one connection by its id renews it alone', async () => {
    await connect(service, person, at);
    const entries = await connectionsOf(service, person);
    const [one, other] = entries.map((entry) => entry.connection_id) as [string, string];
    for (const id of [one, other])
      await request(service.app).delete(`/connect/v1/connections/${id}`).set('Authorization', `Bearer ${person.token}`);
    const end = await connect(service, person, at, { connection_id: one });
    expect([end.searchParams.get('success'), end.searchParams.getAll('connection_id')]).toEqual(['true', [one]]);
    const statuses = new Map(
      (await connectionsOf(service, person)).map((entry) => [entry.connection_id, entry.status]),
    );
    expect([statuses.size, statuses.get(one), statuses.get(other)]).toEqual([2, 'collecting', 'revoked']);
  });

  it('refuses a connection of another user, of another health system or of another release', async () => {
    await connect(service, person, at);
    const [entry] = await connectionsOf(service, person);
    const connection_id = entry!.connection_id;
    const another = await newHealthSystem(service);
    const stranger = await newPerson(service);
    expect(await refusal(stranger, at.id, { connection_id })).toEqual([404, 'connection_not_found']);
    expect(await refusal(person, another.id, { connection_id })).toEqual([404, 'connection_not_found']);
    const fhirVersion = entry!.fhirVersion === 'r4' ? 'dstu2' : 'r4';
    expect(await refusal(person, at.id, { connection_id, fhirVersion })).toEqual([400, 'invalid_request']);
    expect(await refusal(person, at.id, { connection_id: 'x' })).toEqual([400, 'invalid_request']);
    await another.system.close();
  });
});

import request from 'supertest';
import { type Person, connectUrl, newPerson } from '../../test/connect-flow';
import { connectionScene } from '../../test/connection-scene';

describe('reconnecting', () => {
  const scene = connectionScene({}, ['dstu2', 'r4']);

  const ids = async (): Promise<string[]> => (await scene.connections()).map((entry) => entry.connection_id);
  const refusal = async (person: Person, healthSystemId: number, more: Record<string, string>): Promise<unknown[]> => {
    const { pathname, search } = new URL(connectUrl(person, healthSystemId, more));
    const response = await request(scene.service.app).get(`${pathname}${search}`);
    return [response.status, (response.body as { error_code: string }).error_code];
  };

  it('the same health system keeps the ids of its connections', async () => {
    await scene.connect();
    const before = await ids();
    await scene.connect();
    expect(await ids()).toEqual(before);
  });

  it('one connection by its id renews it alone', async () => {
    await scene.connect();
    const entries = await scene.connections();
    const [one, other] = entries.map((entry) => entry.connection_id) as [string, string];
    for (const id of [one, other])
      await request(scene.service.app)
        .delete(`/connect/v1/connections/${id}`)
        .set('Authorization', `Bearer ${scene.person.token}`);
    const end = await scene.connect({ connection_id: one });
    expect([end.searchParams.get('success'), end.searchParams.getAll('connection_id')]).toEqual(['true', [one]]);
    const statuses = new Map((await scene.connections()).map((entry) => [entry.connection_id, entry.status]));
    expect([statuses.size, statuses.get(one), statuses.get(other)]).toEqual([2, 'collecting', 'revoked']);
  });

  it('refuses a connection of another user, of another health system or of another release', async () => {
    await scene.connect();
    const [entry] = await scene.connections();
    const connection_id = entry!.connection_id;
    const another = await scene.open();
    const stranger = await newPerson(scene.service);
    expect(await refusal(stranger, scene.at.id, { connection_id })).toEqual([404, 'connection_not_found']);
    expect(await refusal(scene.person, another.id, { connection_id })).toEqual([404, 'connection_not_found']);
    const fhirVersion = entry!.fhirVersion === 'r4' ? 'dstu2' : 'r4';
    expect(await refusal(scene.person, scene.at.id, { connection_id, fhirVersion })).toEqual([400, 'invalid_request']);
    expect(await refusal(scene.person, scene.at.id, { connection_id: 'x' })).toEqual([400, 'invalid_request']);
  });
});

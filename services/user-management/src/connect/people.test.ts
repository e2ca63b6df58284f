import type { CollectionReport } from '@tributary/contracts';
import request from 'supertest';
import { type ConnectedSystem, connect } from '../../test/connect-flow';
import { connectionScene } from '../../test/connection-scene';

const amelia = { birthDate: '1984-03-09', name: [{ use: 'official', family: 'Hart', given: ['Amelia'] }] };
const noah = { birthDate: '2015-06-01', name: [{ family: 'Hart', given: ['Noah'] }] };

describe('a second person', () => {
  const scene = connectionScene();
  let other: ConnectedSystem;
  beforeEach(async () => {
    other = await scene.open();
    scene.at.system.behaviour.patientElements = amelia;
    Object.assign(other.system.behaviour, { patient: 'noah-1', patientElements: noah, revocation: 200 });
  });

  const outcome = (url: URL): Record<string, string> => {
    const {
      keep: _keep,
      connection_id: _id,
      health_system_id: _system,
      ...told
    } = Object.fromEntries(url.searchParams);
    return told;
  };
  const connectOther = (more: Record<string, string> = {}): Promise<URL> =>
    connect(scene.service, scene.person, other, more);
  const people = async (): Promise<unknown[]> =>
    (await scene.connections()).map(({ patient, other_person }) => [patient.name, patient.birth_date, other_person]);
  const stored = async (): Promise<unknown> => {
    const [counts] = await scene.service.sql(
      `SELECT (SELECT count(*) FROM connection WHERE service_user_id = $1) AS connections,
         (SELECT count(*) FROM health_system_grant WHERE service_user_id = $1) AS grants,
         (SELECT count(*) FROM consent_receipt JOIN connection USING (connection_id) WHERE service_user_id = $1) AS receipts`,
      [scene.person.serviceUserId],
    );
    return counts;
  };

  it('is refused before anything is stored, and the tokens are revoked', async () => {
    await scene.connect();
    const before = await stored();
    expect(outcome(await connectOther())).toEqual({ success: 'false', error: 'other_person' });
    expect(await stored()).toEqual(before);
    // They are revoked once no later session can have succeeded.
    const [waiting] = await scene.service.sql(
      'SELECT count(*)::int AS n FROM token_revocation WHERE fhir_base_url = $1',
      [other.system.endpoint('r4').fhir_base_url],
    );
    expect(waiting).toEqual({ n: 1 });
    expect(await people()).toEqual([['Amelia Hart', '1984-03-09', false]]);
  });

  it('is connected once the user has confirmed it, and said to be another one', async () => {
    await scene.connect();
    expect(outcome(await connectOther({ confirm_person: 'false' }))).toMatchObject({ error: 'other_person' });
    expect(outcome(await connectOther({ confirm_person: 'true' }))).toEqual({ success: 'true', other_person: 'true' });
    expect(await people()).toEqual([
      ['Amelia Hart', '1984-03-09', false],
      ['Noah Hart', '2015-06-01', true],
    ]);
    // Both are people of the record now.
    const third = await scene.open();
    Object.assign(third.system.behaviour, { patient: 'n', patientElements: noah });
    expect(outcome(await connect(scene.service, scene.person, third))).toEqual({ success: 'true' });
  });

  it('can be confirmed by a link as well', async () => {
    await scene.connect();
    const created = await request(scene.service.app)
      .post('/connect/v1/links')
      .set('Authorization', `Bearer ${scene.person.token}`)
      .send({ health_system_id: other.id, confirm_person: true });
    expect(created.status).toBe(201);
    const refused = await request(scene.service.app)
      .post('/connect/v1/links')
      .set('Authorization', `Bearer ${scene.person.token}`)
      .send({ health_system_id: other.id, confirm_person: 'perhaps' });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('confirm_person')]);
  });

  it('is connected without a question for a client of several people', async () => {
    scene.service.auth.clients.get(scene.person.clientId)!.people = 'several';
    await scene.connect();
    expect(outcome(await connectOther())).toEqual({ success: 'true', other_person: 'true' });
  });

  it('is not one whom two health systems name alike', async () => {
    await scene.connect();
    Object.assign(other.system.behaviour, { patient: 'a-2', patientElements: { ...amelia, birthDate: '1984-03' } });
    expect(outcome(await connectOther())).toEqual({ success: 'true' });
    expect(await people()).toHaveLength(2);
  });

  it('is not the same Patient, whose birth date the health system has corrected', async () => {
    await scene.connect();
    scene.at.system.behaviour.patientElements = { ...amelia, birthDate: '1984-09-03' };
    expect(outcome(await scene.connect())).toEqual({ success: 'true' });
    expect(await people()).toEqual([['Amelia Hart', '1984-09-03', false]]);
  });

  it('is found among the people of a revoked connection, whose resources stay', async () => {
    await scene.connect();
    const [entry] = await scene.connections();
    await scene.own('delete', `/${entry!.connection_id}`);
    expect(outcome(await connectOther())).toMatchObject({ error: 'other_person' });
  });

  it('is added by one of two sessions at most that end at once', async () => {
    const third = await scene.open();
    Object.assign(third.system.behaviour, { patient: 'a-1', patientElements: amelia });
    const ends = await Promise.all([connectOther(), connect(scene.service, scene.person, third)]);
    expect(ends.map((end) => outcome(end)['success']).sort()).toEqual(['false', 'true']);
  });

  it('is known after the first collection, where the Patient could not be read before', async () => {
    await scene.connect();
    other.system.behaviour.patientElements = undefined;
    expect(outcome(await connectOther())).toEqual({ success: 'true' });
    const [, entry] = await scene.connections();
    expect([entry?.patient, entry?.other_person]).toEqual([{ id: 'noah-1' }, false]);
    const connection = await scene.forCollection(entry!.connection_id);
    expect(connection.person).toBeUndefined();
    const person = { name: 'Noah Hart', birthDate: '2015-06-01', names: ['noah hart'], identifiers: [] };
    const report: CollectionReport = { state: 'collecting', types: [], person };
    expect((await scene.report(connection, report)).status).toBe(200);
    expect((await scene.report(connection, report)).status).toBe(200);
    expect((await people())[1]).toEqual(['Noah Hart', '2015-06-01', true]);
    expect((await scene.forCollection(entry!.connection_id)).person).toEqual(person);
  });

  it('is not readable in the database', async () => {
    await scene.connect();
    const [row] = await scene.service.sql(
      `SELECT encode(person_sealed, 'escape') AS text FROM connection WHERE service_user_id = $1`,
      [scene.person.serviceUserId],
    );
    expect(String(row?.['text'])).not.toMatch(/Hart|1984/i);
  });
});

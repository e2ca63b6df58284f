import { waitUntil } from '@tributary/test-environment';
import { newPerson } from '../../test/connect-flow';
import { connectionScene } from '../../test/connection-scene';

describe('the sweep', () => {
  const scene = connectionScene({ SWEEP_EVERY_SECONDS: '0.1' });
  const { connected, forCollection, internal, report } = scene;

  it('adds lost jobs again', async () => {
    const connection = await connected();
    await scene.queue.remove(connection.collection_id);
    await scene.service.sql(`UPDATE connection SET enqueue_at = now() WHERE connection_id = $1`, [
      connection.connection_id,
    ]);
    await waitUntil(async () => (await scene.queue.getJob(connection.collection_id)) !== undefined);
  });

  it('starts the next collection of an active connection a day later, varied by 10 %', async () => {
    const connection = await connected();
    await report(connection, { state: 'completed', types: [] });
    const [due] = await scene.service.sql(
      'SELECT extract(epoch FROM next_collection_at - now())::float / 3600 AS hours FROM connection WHERE connection_id = $1',
      [connection.connection_id],
    );
    expect(due?.['hours']).toBeGreaterThan(21.5);
    expect(due?.['hours']).toBeLessThan(26.5);
    await scene.service.sql(`UPDATE connection SET next_collection_at = now() WHERE connection_id = $1`, [
      connection.connection_id,
    ]);
    await waitUntil(async () => (await scene.connections())[0]?.status === 'collecting');
    const again = await forCollection(connection.connection_id);
    expect(again.collection_id).not.toBe(connection.collection_id);
    await waitUntil(async () => (await scene.queue.getJob(again.collection_id)) !== undefined);
  });

  it('starts the next collection 10 min after one in which a type failed', async () => {
    const connection = await connected();
    const counts = { fetched: 0, stored: 0, unchanged: 0, failed: 0, created: 0, deleted: 0 };
    const warnings = [{ code: 'server_error' as const, message: 'responded with 500 4 times' }];
    const failed = {
      type: 'Condition',
      read: 'full' as const,
      ...counts,
      done: true,
      outcome: 'failed' as const,
      warnings,
    };
    await report(connection, { state: 'completed', types: [failed] });
    expect((await scene.connections())[0]).toMatchObject({ status: 'active', complete: false });
    const [due] = await scene.service.sql(
      'SELECT extract(epoch FROM next_collection_at - now())::float / 60 AS minutes FROM connection WHERE connection_id = $1',
      [connection.connection_id],
    );
    expect(due?.['minutes']).toBeGreaterThan(8);
    expect(due?.['minutes']).toBeLessThan(11.1);
  });

  it('starts no collection for inactive users', async () => {
    const connection = await connected();
    await report(connection, { state: 'completed', types: [] });
    await scene.service.sql(`UPDATE service_user SET state = 'inactive' WHERE service_user_id = $1`, [
      scene.person.serviceUserId,
    ]);
    scene.person = await newPerson(scene.service);
    const ofActiveUser = await connected();
    await report(ofActiveUser, { state: 'completed', types: [] });
    // The sweep that starts the one passes over the other.
    await scene.service.sql(`UPDATE connection SET next_collection_at = now() WHERE connection_id = ANY($1)`, [
      [connection.connection_id, ofActiveUser.connection_id],
    ]);
    await waitUntil(async () => (await scene.connections())[0]?.status === 'collecting');
    expect((await internal('get', connection.connection_id)).body).toMatchObject({ status: 'active' });
  });
});

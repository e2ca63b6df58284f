import { typeProgress } from '../../test/type-progress';
import { adminProgram } from '../admin-program';
import { admin } from '../../test/connect-flow';
import { connectionScene } from '../../test/connection-scene';

describe('the commands for connections', () => {
  const scene = connectionScene();
  const run = (...words: string[]): Promise<string> => admin(scene.service, 'connection', ...words);
  const show = async (id: string): Promise<Record<string, unknown>> => JSON.parse(await run('show', id, '--json'));
  const unknown = '11111111-1111-4111-8111-111111111111';

  it('show prints the attempts, the last error and the progress, but no token and no patient', async () => {
    const connection = await scene.connected();
    await scene.report(connection, {
      state: 'failed',
      failure: 'transient',
      types: [typeProgress('Observation', 5, 2, false)],
      error: { code: 'health_system_unavailable', message: 'metadata: it did not respond' },
    });
    const shown = await show(connection.connection_id);
    expect(shown).toMatchObject({
      status: 'collecting',
      user_state: 'active',
      client_id: scene.person.clientId,
      service_user_id: scene.person.serviceUserId,
      collection_id: connection.collection_id,
      error: { code: 'health_system_unavailable' },
      failed_attempts: 1,
      retry_at: expect.any(String),
      is_consent_expired: false,
      grant: { refreshable: expect.any(Boolean), client_problem: null },
      types: [{ type: 'Observation', fetched: 7, stored: 5, warnings: [] }],
    });
    const text = await run('show', connection.connection_id);
    expect(text).toMatch(/^failed attempts {2}1$/m);
    expect(text).toMatch(/^last error {7}health_system_unavailable: metadata: it did not respond$/m);
    expect(text).toMatch(/^next retry {7}20\d\d-/m);
    const { body } = await scene.accessToken(connection.connection_id);
    for (const secret of [connection.patient_id, (body as { access_token: string }).access_token])
      expect(JSON.stringify(shown) + text).not.toContain(secret);
  });

  it('requeue makes a waiting collection due at once, and a repeated command changes nothing more', async () => {
    const connection = await scene.connected();
    await scene.report(connection, { state: 'failed', failure: 'transient', types: [] });
    const requeue = async (): Promise<unknown> => JSON.parse(await run('requeue', connection.connection_id, '--json'));
    const expected = { collection_id: connection.collection_id, is_new: false };
    expect(await requeue()).toEqual(expected);
    expect(await requeue()).toEqual(expected);
    expect(await show(connection.connection_id)).toMatchObject({ status: 'collecting', retry_at: null });
    expect(
      await scene.service.sql('SELECT enqueue_at <= now() AS due FROM connection WHERE connection_id = $1', [
        connection.connection_id,
      ]),
    ).toEqual([{ due: true }]);
  });

  it('requeue begins one collection of an active connection, also when it is run twice at once', async () => {
    const connection = await scene.connected();
    await scene.report(connection, { state: 'completed', types: [] });
    const results = (await Promise.all([1, 2].map(() => run('requeue', connection.connection_id, '--json')))).map(
      (line) => JSON.parse(line) as { collection_id: string; is_new: boolean },
    );
    expect(new Set(results.map(({ collection_id }) => collection_id)).size).toBe(1);
    expect(results[0]?.collection_id).not.toBe(connection.collection_id);
    expect(await show(connection.connection_id)).toMatchObject({ status: 'collecting' });
  });

  it('requeue says why a connection cannot be collected, and changes nothing', async () => {
    const { connection_id } = await scene.connected();
    const state = (to: string): Promise<unknown> =>
      scene.service.sql('UPDATE service_user SET state = $2 WHERE service_user_id = $1', [
        scene.person.serviceUserId,
        to,
      ]);
    await state('inactive');
    await expect(run('requeue', connection_id)).rejects.toThrow('the user is not active');
    await state('active');
    await scene.own('delete', `/${connection_id}`);
    await expect(run('requeue', connection_id)).rejects.toThrow('the connection is revoked');
    expect(await show(connection_id)).toMatchObject({ status: 'revoked', grant: null, enqueue_at: null });
  });

  it.each(['show', 'requeue'])(
    '%s records of which user and client the connection is, before it acts',
    async (verb) => {
      const { connection_id } = await scene.connected();
      const lines: string[] = [];
      const acted: object[] = [];
      const command = (isRecorded: boolean): Promise<unknown> =>
        adminProgram(
          (line) => lines.push(line),
          scene.service.environment,
          undefined,
          async (subjects) => {
            if (!isRecorded) throw new Error('not recorded');
            acted.push(...subjects);
          },
        ).parseAsync(['connection', verb, connection_id], { from: 'user' });
      await expect(command(false)).rejects.toThrow('not recorded');
      expect(lines).toEqual([]);
      await command(true);
      const { serviceUserId, clientId } = scene.person;
      expect(acted).toEqual([{ serviceUserId, clientId }]);
      expect(lines).not.toEqual([]);
    },
  );

  it.each(['show', 'requeue'])('%s refuses what is no connection', async (verb) => {
    await expect(run(verb, unknown)).rejects.toThrow('there is no such connection');
    await expect(run(verb, 'no-uuid')).rejects.toThrow('It must be the UUID of a connection');
    await expect(run(verb)).rejects.toThrow("missing required argument 'connection-id'");
  });
});

import { userScene } from '../../test/user-scene';

const scene = userScene();

describe('GET /user', () => {
  it('pages by ascending service_user_id', async () => {
    const ids: number[] = [];
    for (let i = 0; i < 25; i++) {
      const { status, body } = await scene.create(`u${i}`);
      expect([status, body]).toEqual([200, expect.objectContaining({ app_user_id: `u${i}` })]);
      ids.push(body.service_user_id as number);
    }
    const first = (await scene.list()).body;
    expect(first).toMatchObject({ success: true, total: 25, offset: 0, limit: 20 });
    expect(first.entry.map((entry: { service_user_id: number }) => entry.service_user_id)).toEqual(ids.slice(0, 20));
    expect(first.entry[3]).toEqual({ service_user_id: ids[3], app_user_id: 'u3', active: true });
    const second = (await scene.list({ offset: 20, limit: 100 })).body;
    expect(second).toMatchObject({ total: 25, offset: 20, limit: 100 });
    expect(second.entry).toHaveLength(5);
    expect((await scene.list({ offset: 1000 })).body).toMatchObject({ total: 25, entry: [] });
  });

  it('finds one by either identifier or both', async () => {
    const { service_user_id } = (await scene.create('one')).body as { service_user_id: number };
    await scene.create('two');
    for (const query of [{ service_user_id }, { app_user_id: 'one' }, { service_user_id, app_user_id: 'one' }]) {
      expect((await scene.list(query as Record<string, string | number>)).body).toEqual({
        success: true,
        total: 1,
        offset: 0,
        limit: 20,
        entry: [{ service_user_id, app_user_id: 'one', active: true }],
      });
    }
    for (const query of [
      { service_user_id: 999999 },
      { app_user_id: 'three' },
      { service_user_id, app_user_id: 'two' },
    ]) {
      expect((await scene.list(query as Record<string, string | number>)).body).toMatchObject({
        success: true,
        total: 0,
        entry: [],
      });
    }
    const other = scene.service.auth.addClient();
    expect(
      (await scene.list({ service_user_id }, { client_id: other.client_id, client_secret: other.client_secret })).body
        .total,
    ).toBe(0);
  });

  it.each([
    { limit: 0 },
    { limit: 101 },
    { limit: 'many' },
    { offset: -1 },
    { offset: '1.5' },
    { service_user_id: 'abc' },
    { service_user_id: 0 },
    { app_user_id: '' },
  ])('answers 400 to %j', async (query) => {
    expect((await scene.list(query as Record<string, string | number>)).status).toBe(400);
  });
});

import request from 'supertest';
import { connect, connectUrl, connectionsOf, newHealthSystem, newPerson } from '../../test/connect-flow';
import { type RunningForTest, runForTest } from '../../test/running-service';

describe('test and live clients', () => {
  let service: RunningForTest;
  beforeAll(async () => {
    service = await runForTest();
  });
  afterAll(() => service.stop());

  it.each([
    ['test', 'live'],
    ['live', 'test'],
  ] as const)(
    'of the mode %s connect to health systems of this mode, and find none of the mode %s',
    async (mode, other) => {
      const person = await newPerson(service, mode);
      const at = await newHealthSystem(service);
      const system = service.directory.systems.get(at.id)!;
      service.directory.systems.set(at.id, { ...system, mode: other });
      const { pathname, search } = new URL(connectUrl(person, at.id));
      const refused = await request(service.app).get(`${pathname}${search}`);
      expect([refused.status, refused.body]).toMatchObject([404, { error_code: 'health_system_not_found' }]);
      expect(at.system.authorizations).toEqual([]);
      service.directory.systems.set(at.id, { ...system, mode });
      expect((await connect(service, person, at)).searchParams.get('success')).toBe('true');
      expect(await connectionsOf(service, person)).toHaveLength(1);
      await at.system.close();
    },
  );

  it('get events with their mode', async () => {
    const { clientHeaders } = await newPerson(service, 'live');
    const created = await request(service.app)
      .post('/connect/v1/webhooks')
      .set(clientHeaders)
      .send({ url: 'http://localhost:9/' });
    expect(created.body).toMatchObject({ mode: 'live' });
  });
});

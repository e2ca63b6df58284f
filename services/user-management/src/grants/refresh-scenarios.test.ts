import type { HealthSystemAccess } from '@tributary/contracts';
import request, { type Response } from 'supertest';
import { type Person, connectionsOf, newPerson, refreshIsDue } from '../../test/connect-flow';
import { workerCredentials } from '../../test/connection-scene';
import { type RunningForTest, runForTest } from '../../test/running-service';
import { type Sandbox, startSandbox } from '../../test/sandbox';

describe('the access of a connection to the sandbox with the scenario', () => {
  let service: RunningForTest;
  let sandbox: Sandbox;
  let person: Person;
  beforeAll(async () => {
    service = await runForTest();
    sandbox = await startSandbox(service);
  });
  afterAll(async () => {
    await sandbox?.close();
    await service.stop();
  });
  beforeEach(async () => {
    person = await newPerson(service);
  });

  const token = (connectionId: string, body: object): Promise<Response> =>
    request(service.internal)
      .post(`/internal/v1/connections/${connectionId}/access-token`)
      .set('Authorization', workerCredentials)
      .send(body)
      .then((response) => response);

  it.each([
    ['refresh-refused', 1, 0, 'needs_reauthorization'],
    ['refresh-400-invalid-request', 3, 0, 'needs_reauthorization'],
    ['refresh-403', 3, 0, 'needs_reauthorization'],
    ['refresh-401-html', 3, 3, 'needs_reauthorization'],
    ['refresh-unavailable', 6, 0, 'collecting'],
    ['refresh-throttled', 6, 0, 'collecting'],
    ['refresh-never', 0, 0, 'needs_reauthorization'],
  ])(
    '%s leads to %i refreshes and %i made-up codes, however often it is asked for',
    async (scenario, refreshes, codes, status) => {
      await sandbox.connect(person, scenario);
      const [connection] = await connectionsOf(service, person);
      const id = connection?.connection_id ?? '';
      const sentBefore = await Promise.all(['refresh_token', 'authorization_code'].map(sandbox.tokenRequests));
      let current = ((await token(id, {})).body as HealthSystemAccess).token_id;
      for (let due = 0; due < 6; due++) {
        for (let asked = 0; asked < 3; asked++) {
          const response = await token(id, { refused_token_id: current });
          if (response.status === 200) current = (response.body as HealthSystemAccess).token_id;
          if (response.status === 200) break;
        }
        await refreshIsDue(service, person);
      }
      const sent = await Promise.all(['refresh_token', 'authorization_code'].map(sandbox.tokenRequests));
      expect(sent.map((count, index) => count - (sentBefore[index] ?? 0))).toEqual([refreshes, codes]);
      expect((await connectionsOf(service, person))[0]?.status).toBe(status);
    },
  );
});

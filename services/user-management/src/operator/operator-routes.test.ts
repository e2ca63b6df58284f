import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InternalHttp, OperatorConnectionsClient } from '@tributary/contracts';
import { type RunningForTest, runForTest } from '../../test/running-service';

const key = 'console-key-0123456789abc';
let service: RunningForTest;
let server: Server;
let operators: OperatorConnectionsClient;

beforeAll(async () => {
  service = await runForTest({ SERVICE_KEYS: JSON.stringify({ console: key }) });
  server = createServer(service.internal).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  operators = new OperatorConnectionsClient(
    new InternalHttp({ service: 'user-management', baseUrl, caller: 'console', key }),
  );
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await service.stop();
});

it('counts the users of a client', async () => {
  expect(await operators.countUsers('nobody')).toEqual({ users: 0 });
});

import { InternalHttp, RegistrationsClient } from '@tributary/contracts';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { adminProgram } from '../admin-program';
import { type RunningForTest, runForTest } from '../../test/running-service';

const searchKey = 'search-key-0123456789abc';
let service: RunningForTest;
let server: Server;

beforeAll(async () => {
  service = await runForTest({ SERVICE_KEYS: JSON.stringify({ search: searchKey }) });
  server = createServer(service.internal).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await service.stop();
});

const client = (key: string): RegistrationsClient =>
  new RegistrationsClient(
    new InternalHttp({
      service: 'user-management',
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      caller: 'search',
      key,
    }),
  );

async function admin(...words: string[]): Promise<void> {
  await adminProgram(() => undefined, service.environment).parseAsync(words, { from: 'user' });
}

it('returns the patterns of all registrations to search, and nothing else of them', async () => {
  expect(await client(searchKey).patterns()).toEqual([]);
  const as = ['--client-id', 'c', '--auth-method', 'none'];
  await admin('registration', 'set', '--host', '*.Clinics.example.org', ...as);
  await admin('registration', 'set', '--fhir-base', 'https://FHIR.example.org/R4/', ...as);
  expect(await client(searchKey).patterns()).toEqual(['*.clinics.example.org', 'https://fhir.example.org/R4']);
  await admin('registration', 'remove', '--host', '*.clinics.example.org');
  expect(await client(searchKey).patterns()).toEqual(['https://fhir.example.org/R4']);
  await expect(client('another-key-0123456789abc').patterns()).rejects.toMatchObject({ status: 401 });
});

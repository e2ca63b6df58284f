import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  InternalHttp,
  OperatorConnectionsClient,
  OperatorKeysClient,
  type RegistrationCheckStep,
} from '@tributary/contracts';
import { adminProgram } from '../admin-program';
import { type RunningForTest, runForTest } from '../../test/running-service';

const key = 'console-key-0123456789abc';
let service: RunningForTest;
let server: Server;
let operators: OperatorConnectionsClient;
let keys: OperatorKeysClient;

beforeAll(async () => {
  service = await runForTest({ SERVICE_KEYS: JSON.stringify({ console: key }) });
  server = createServer(service.internal).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = new InternalHttp({ service: 'user-management', baseUrl, caller: 'console', key });
  operators = new OperatorConnectionsClient(http);
  keys = new OperatorKeysClient(http);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await service.stop();
});

it('shows the status of the keys', async () => {
  const { versions, unknown } = await keys.status();
  expect([versions, unknown]).toEqual([
    [
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        state: 'current',
        keys: expect.any(Number),
        origin: expect.any(String),
      },
    ],
    [],
  ]);
});

it('counts the users of a client', async () => {
  expect(await operators.countUsers('nobody')).toEqual({ users: 0 });
});

const operator = '00000000-0000-4000-8000-000000000009';
const admin = (...words: string[]) =>
  adminProgram(() => undefined, service.environment).parseAsync(words, { from: 'user' });

it('lists registrations without their secrets', async () => {
  const secret = ['--client-secret', 'never-shown-0123456789', '--auth-method', 'client_secret_basic'];
  await admin('registration', 'set', '--host', 'fhir.example.org', '--client-id', 'c', ...secret);
  const { entry } = await operators.registrations();
  expect(entry).toEqual([
    {
      matches: 'host',
      pattern: 'fhir.example.org',
      client_id: 'c',
      auth_method: 'client_secret_basic',
      redirect_uri: expect.stringMatching(/\/connect\/callback$/),
    },
  ]);
});

it('tests a registration, with a line for each step', async () => {
  const steps: RegistrationCheckStep[] = [];
  // Nothing listens there.
  const base = 'http://127.0.0.1:9/r4';
  for await (const step of operators.checkRegistration({ health_system: base, operator })) steps.push(step);
  expect(steps.map(({ step, result }) => [step, result])).toEqual([
    ['registration', 'failed'],
    ['smart-configuration', 'failed'],
    ['metadata', 'failed'],
    ['discovery', 'failed'],
  ]);
  expect(steps[0]).toMatchObject({ fhir_base_url: base, fhirVersion: 'r4', advice: expect.any(String) });
  await expect(operators.checkRegistration({ health_system: 'Mercy', operator }).next()).rejects.toMatchObject({
    status: 400,
    errorCode: 'invalid_request',
  });
});

it('pauses and resumes hosts', async () => {
  const host = 'FHIR.example.org:8443';
  expect(await operators.pause({ host, reason: 'maintenance', operator })).toEqual({ hosts: [host.toLowerCase()] });
  expect((await operators.pausedHosts()).entry).toEqual([
    { host: host.toLowerCase(), reason: 'maintenance', paused_at: expect.any(String), waiting: 0 },
  ]);
  expect(await operators.resume({ host, operator })).toEqual({ hosts: [host.toLowerCase()] });
  expect(await operators.resume({ host, operator })).toBeUndefined();
  expect((await operators.pausedHosts()).entry).toEqual([]);
});

it('lists the outcomes of the last days', async () => {
  expect(await operators.outcomes('30')).toEqual({ days: 30, entry: [] });
});

it('counts what collections wait for', async () => {
  expect(await operators.queue()).toEqual({
    jobs: { waiting: 0, active: 0, delayed: 0, failed: 0, oldest_waiting_at: null },
    hosts: [],
    connections: {},
  });
});

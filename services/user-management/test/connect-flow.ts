import type { ClientMode, ConnectionEntry, FhirVersion } from '@tributary/contracts';
import request from 'supertest';
import { adminProgram } from '../src/admin-program';
import { Browser } from './browser';
import { FakeHealthSystem } from './fake-health-system';
import type { RunningForTest } from './running-service';

export const baseUrl = 'http://tributary.test';
export const clientRedirect = 'https://client.example/done?keep=1';

export interface Person {
  serviceUserId: number;
  clientId: string;
  clientHeaders: { client_id: string; client_secret: string };
  token: string;
}

/** Creates a client with one user, and an access token of the user. */
export async function newPerson(service: RunningForTest, mode?: ClientMode): Promise<Person> {
  const { client_id, client_secret } = service.auth.addClient([clientRedirect, 'myapp://back'], mode);
  const clientHeaders = { client_id, client_secret };
  const { service_user_id } = (
    await request(service.app).post('/user-management/v1/user').set(clientHeaders).send({ app_user_id: 'someone' })
  ).body as { service_user_id: number };
  return {
    serviceUserId: service_user_id,
    clientId: client_id,
    clientHeaders,
    token: service.auth.addToken(client_id, service_user_id),
  };
}

/** Runs a command of the operator. @returns its output */
export async function admin(service: RunningForTest, ...words: string[]): Promise<string> {
  const lines: string[] = [];
  await adminProgram((line) => lines.push(line), service.environment).parseAsync(words, { from: 'user' });
  return lines.join('\n');
}

export interface ConnectedSystem {
  system: FakeHealthSystem;
  id: number;
}

/** Adds a health system to the directory, and registers our client there. */
export async function newHealthSystem(
  service: RunningForTest,
  releases: FhirVersion[] = ['r4'],
  registration: string[] = ['--auth-method', 'none'],
): Promise<ConnectedSystem> {
  const system = await FakeHealthSystem.listen();
  await admin(
    service,
    'registration',
    'set',
    '--host',
    new URL(system.url).host,
    '--client-id',
    'our-client',
    ...registration,
  );
  return { system, id: service.directory.add(releases.map((release) => system.endpoint(release))) };
}

export function connectUrl(person: Person, healthSystemId: number, more: Record<string, string> = {}): string {
  return `${baseUrl}/connect/system/clinical/${healthSystemId}?${new URLSearchParams({ client_id: person.clientId, access_token: person.token, ...more }).toString()}`;
}

/** Connects a user from the first request to the redirect to the client. @returns the URL of that redirect */
export function connect(
  service: RunningForTest,
  person: Person,
  { system, id }: ConnectedSystem,
  more: Record<string, string> = {},
): Promise<URL> {
  return new Browser(service.app, baseUrl).follow(connectUrl(person, id, more), [system.url]);
}

export async function connectionsOf(service: RunningForTest, person: Person): Promise<ConnectionEntry[]> {
  const response = await request(service.app)
    .get('/connect/v1/connections')
    .set('Authorization', `Bearer ${person.token}`);
  return (response.body as { entry: ConnectionEntry[] }).entry;
}

/** Makes the next refresh of the person's grants due. */
export async function refreshIsDue(service: RunningForTest, { serviceUserId }: Person): Promise<void> {
  await service.sql('UPDATE health_system_grant SET next_refresh_at = now() WHERE service_user_id = $1', [
    serviceUserId,
  ]);
}

/** The address of the next redirect. */
export async function followOne(url: string): Promise<string> {
  return String((await fetch(url, { redirect: 'manual' })).headers.get('location'));
}

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExecutable } from '@tributary/local-databases';
import { onChosenPort } from '@tributary/test-environment';
import { Addresses } from '../suite/addresses';
import { startHaproxy } from './haproxy';

const executable = findExecutable('haproxy');
if (!executable) process.stderr.write('haproxy is not installed: the test of the gateway is skipped\n');

const folder = mkdtempSync(join(tmpdir(), 'tributary-haproxy-'));
const servers: Server[] = [];
const close = (): void => servers.splice(0).forEach((server) => server.close());
afterAll(() => {
  close();
  rmSync(folder, { recursive: true });
});

/** Starts the API and the internal API of a replica; both respond with their name. */
async function startReplica(addresses: Addresses, service: 'fhir-store' | 'auth', replica: number): Promise<void> {
  for (const listener of [service, `${service} internal`] as const) {
    const server = createServer((_request, response) =>
      response.setHeader('Connection', 'close').end(`${listener} ${replica}`),
    ).listen(addresses.replicaPort(listener, replica), '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
  }
}

async function start(addresses: Addresses, haproxy: string) {
  try {
    for (const replica of [1, 2])
      for (const service of ['fhir-store', 'auth'] as const) await startReplica(addresses, service, replica);
    const directory = join(folder, 'gateway');
    return await startHaproxy({ executable: haproxy, directory, logFile: join(folder, 'log'), addresses });
  } catch (error) {
    close();
    throw error;
  }
}

/** The different responses to some requests. */
async function responsesOf(url: string): Promise<string[]> {
  const texts = [];
  for (let call = 0; call < 4; call++) texts.push(await (await fetch(url)).text());
  return [...new Set(texts)].sort();
}

(executable ? it : it.skip)('balances the APIs over the replicas, and leaves out one that has ended', async () => {
  const { addresses, gateway } = await onChosenPort(async (port) => {
    const chosen = new Addresses(port, 2);
    return { addresses: chosen, gateway: await start(chosen, executable ?? '') };
  });
  const fhir = `${addresses.url('gateway')}/r4/Patient`;
  expect(await responsesOf(fhir)).toEqual(['fhir-store 1', 'fhir-store 2']);
  expect(await responsesOf(addresses.url('auth'))).toEqual(['auth 1', 'auth 2']);
  expect(await responsesOf(addresses.url('auth internal'))).toEqual(['auth internal 1', 'auth internal 2']);
  servers.slice(0, 4).forEach((server) => server.close());
  expect(await responsesOf(fhir)).toEqual(['fhir-store 2']);
  expect(await responsesOf(addresses.url('auth internal'))).toEqual(['auth internal 2']);
  await gateway.stop();
  await expect(fetch(fhir)).rejects.toThrow();
});

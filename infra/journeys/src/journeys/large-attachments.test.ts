import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { raisedLimits } from '@tributary/local';
import { waitUntil } from '@tributary/test-environment';
import { Json, bearer, http } from '../suite/http';
import { OwnSuite } from '../suite/own-suite';
import type { Ready } from '../suite/ready';
import { type User, collected, connect, newUser } from '../suite/users';

const portBase = Number(process.env['JOURNEY_PORT_BASE'] ?? 14_000) + 600;
const local = process.env['JOURNEY_HOME'] ? describe : describe.skip;

const megabyte = 1_000_000;
const documentBytes = 100 * megabyte;
/** What each process may need more, in bytes. */
const maxMoreMemory = 64 * 1024 * 1024;

/** A document of pseudorandom bytes in pieces, so that the test does not hold it either. */
async function* document(): AsyncGenerator<Buffer> {
  const piece = randomBytes(megabyte);
  for (let written = 0; written < documentBytes; written += piece.length) {
    piece.writeUInt32BE(written);
    yield await Promise.resolve(Buffer.from(piece));
  }
}

const suiteFolder = mkdtempSync(join(tmpdir(), 'tributary-large-'));
const suite = new OwnSuite(join(suiteFolder, 'home'), portBase, raisedLimits);

/** The most memory that a process has needed more than at first, while the work ran. */
async function moreMemory(services: readonly string[], work: () => Promise<unknown>): Promise<Record<string, number>> {
  const residentOf = (service: string): number =>
    1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${suite.pid(service)}/status`, 'utf8'))?.[1]);
  const before = Object.fromEntries(services.map((service) => [service, residentOf(service)]));
  const more: Record<string, number> = {};
  const timer = setInterval(() => {
    for (const service of services)
      more[service] = Math.max(more[service] ?? 0, residentOf(service) - (before[service] as number));
  }, 20);
  await work().finally(() => clearInterval(timer));
  return more;
}

local('a document of 100 MB, in an object storage', () => {
  let ready: Ready;
  let user: User;
  let address: string;
  const digest = createHash('sha256');
  let expected: string;
  beforeAll(async () => {
    ready = await suite.start('--fresh', '--object-storage');
    user = await newUser(ready, ready.client);
    // Afterwards the processes have what any request of this kind needs.
    await store(Buffer.alloc(6 * megabyte));
  });
  afterAll(async () => {
    await suite.stop();
    rmSync(suiteFolder, { recursive: true, force: true });
  });

  async function store(body: Buffer | AsyncGenerator<Buffer>): Promise<string> {
    const reply = await fetch(`${ready.base_url}/r4/Binary`, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { ...bearer(user.access_token), 'Content-Type': 'application/dicom', Prefer: 'return=minimal' },
    } as RequestInit);
    expect(reply.status).toBe(201);
    return (reply.headers.get('location') as string).replace(/\/_history.*/, '');
  }

  async function digestOf(url: string, headers: Record<string, string> = {}): Promise<[number, string]> {
    const reply = await fetch(url, { headers: { ...bearer(user.access_token), ...headers } });
    expect(reply.status).toBe(200);
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of reply.body as unknown as AsyncIterable<Buffer>) {
      hash.update(piece);
      bytes += piece.length;
    }
    return [bytes, hash.digest('hex')];
  }

  const objects = (): string[] =>
    readdirSync(join(suite.home, 'objects'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('_object'))
      .map(({ name }) => name);

  it.each<[string, string, () => Promise<unknown>]>([
    [
      'uploaded',
      'fhir-store',
      async () => {
        address = await store(
          (async function* () {
            for await (const piece of document()) {
              digest.update(piece);
              yield piece;
            }
          })(),
        );
        expected = digest.digest('hex');
      },
    ],
    ['read', 'fhir-store', async () => expect(await digestOf(address)).toEqual([documentBytes, expected])],
    [
      'read as FHIR JSON',
      'fhir-store',
      async () => {
        const [bytes] = await digestOf(address, { Accept: 'application/fhir+json' });
        expect(bytes).toBeGreaterThan((documentBytes * 4) / 3);
      },
    ],
    [
      'exported',
      'analytics-export',
      async () => {
        const manifest = await http('GET', `${ready.analytics_url}/bulk-data/r4/$export`, {
          headers: bearer(user.access_token),
        });
        const files = manifest.json.list('output').map((entry) => new Json(entry));
        let bytes = 0;
        for (const file of files) bytes += (await digestOf(file.text('url')))[0];
        expect(bytes).toBeGreaterThan((documentBytes * 4) / 3);
      },
    ],
    [
      'downloaded as an attachment of an export',
      'analytics-export',
      async () =>
        expect(await digestOf(`${ready.analytics_url}/bulk-data/r4/Binary/${address.split('/').at(-1)}`)).toEqual([
          documentBytes,
          expected,
        ]),
    ],
  ])('is %s with little memory', async (_title, service, work) => {
    expect((await moreMemory([service], work))[service]).toBeLessThan(maxMoreMemory);
  });

  it('is destroyed with its user', async () => {
    expect(objects()).toHaveLength(2);
    const deleted = await http('DELETE', `${ready.base_url}/user-management/v1/user`, {
      headers: { client_id: ready.client.client_id, client_secret: ready.client.client_secret },
      json: { service_user_id: user.service_user_id },
    });
    expect(deleted.status).toBe(200);
    await waitUntil(() => objects().length === 0, 'the objects are deleted', 100);
  });

  it('may also come from a health system, several at once', async () => {
    user = await newUser(ready, ready.client);
    await connect(ready, user, 'amelia-hart+attachments-huge', { fhirVersion: 'r4' });
    const [connection] = await collected(ready, user);
    expect(connection?.at('status')).toBe('active');
    const found = await http('GET', `${ready.base_url}/r4/Binary?_elements=contentType&_count=1`, {
      headers: bearer(user.access_token),
    });
    const { id } = new Json(found.json.list('entry')[0]).at('resource') as { id: string };
    expect((await digestOf(`${ready.base_url}/r4/Binary/${id}`))[0]).toBe(30 * 1024 * 1024);
    expect(objects()).toHaveLength(found.json.number('total'));
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { objectStorageConfig, objectStorageFrom } from '@tributary/object-storage';
import { readConfig } from '@tributary/service-kit';
import { freePort } from '@tributary/test-environment';
import { Addresses } from './addresses';
import { SuiteCertificates } from './certificates';
import { openHome } from './home';
import { startSuiteObjectStorage } from './object-storage';

const folder = mkdtempSync(join(tmpdir(), 'tributary-suite-objects-'));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([false, true])('keeps its objects and its access key over a restart, with TLS: %s', async (isEncrypted) => {
  const home = join(folder, String(isEncrypted));
  const addresses = new Addresses((await freePort()) - new Addresses(0).port('object-storage'));
  const start = async () =>
    startSuiteObjectStorage(
      await openHome(home, false),
      addresses,
      isEncrypted ? await SuiteCertificates.open(join(home, 'tls')) : undefined,
    );
  const open = async (environment: Record<string, string>) =>
    (await objectStorageFrom(readConfig(objectStorageConfig, { SANDBOX_MODE: 'true', ...environment })))!;

  const first = await start();
  async function* bytes(): AsyncGenerator<Buffer> {
    yield Buffer.from('bytes');
  }
  await (await open(first.environment)).write('object', bytes());
  await first.stop();
  const second = await start();
  expect(second.environment).toEqual(first.environment);
  const storage = await open(second.environment);
  const chunks: Buffer[] = [];
  for await (const chunk of storage.read('object', 0, 5)) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe('bytes');
  await second.stop();
});

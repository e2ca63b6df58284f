import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, startTcpProxy } from '@tributary/test-environment';
import type { KeyServiceDouble } from './key-service-double';

const program = ['vault', 'bao'].find((name) => spawnSync(name, ['version']).status === 0);

/** Whether `vault` or `bao` is on the PATH. Says so when it is not, since the tests against it do not run then. */
export function hasVault(): boolean {
  if (!program)
    process.stderr.write('NOT RUN: the tests against a real Vault, as neither vault nor bao is on the PATH\n');
  return program !== undefined;
}

/** A development server of Vault or OpenBao with two transit keys. */
export async function startVault(): Promise<KeyServiceDouble> {
  const [port, token] = [await freePort(), randomUUID()];
  const address = `http://127.0.0.1:${port}`;
  const folder = mkdtempSync(join(tmpdir(), 'vault-'));
  writeFileSync(join(folder, 'token'), token);
  const server = spawn(
    program ?? 'vault',
    ['server', '-dev', '-dev-no-store-token', `-dev-root-token-id=${token}`, `-dev-listen-address=127.0.0.1:${port}`],
    { stdio: 'ignore', env: { PATH: process.env['PATH'], HOME: folder } },
  );
  const exited = once(server, 'exit');
  const call = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${address}/v1/${path}`, {
      method: 'POST',
      headers: { 'X-Vault-Token': token },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`Vault responded ${response.status} to ${path}`);
  };
  for (const deadline = Date.now() + 60_000; ; await pause(100)) {
    const isReady = await fetch(`${address}/v1/sys/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) break;
    if (Date.now() > deadline) throw new Error('the development server of Vault did not start');
  }
  await call('sys/mounts/transit', { type: 'transit' });
  for (const key of ['tributary', 'another']) await call(`transit/keys/${key}`, { type: 'aes256-gcm96' });
  const proxy = await startTcpProxy(address);
  return {
    environment: {
      KEY_PROVIDER: 'vault-transit',
      KEY_PROVIDER_ENDPOINT: proxy.url.replace(/\/$/, ''),
      VAULT_TOKEN_FILE: join(folder, 'token'),
    },
    keys: ['tributary', 'another'],
    rotateKey: (key) => call(`transit/keys/${key}/rotate`, {}),
    // A request ends in its time-out.
    setReachable: (isReachable) => (isReachable ? proxy.resume() : proxy.hang()),
    requests: () => undefined,
    close: async () => {
      await proxy.close();
      server.kill();
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}

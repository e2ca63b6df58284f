import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onChosenPort, startTcpProxy, waitUntil } from '@tributary/test-environment';
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
  const token = randomUUID();
  const folder = mkdtempSync(join(tmpdir(), 'vault-'));
  writeFileSync(join(folder, 'token'), token);
  const { address, server, exited } = await onChosenPort((port) => startServer(port, token, folder));
  const call = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${address}/v1/${path}`, {
      method: 'POST',
      headers: { 'X-Vault-Token': token },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`Vault responded ${response.status} to ${path}`);
  };
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

/** @throws Error when the server ends, as it does when the port is taken */
async function startServer(
  port: number,
  token: string,
  folder: string,
): Promise<{ address: string; server: ChildProcess; exited: Promise<unknown> }> {
  const address = `http://127.0.0.1:${port}`;
  const server = spawn(
    program ?? 'vault',
    ['server', '-dev', '-dev-no-store-token', `-dev-root-token-id=${token}`, `-dev-listen-address=127.0.0.1:${port}`],
    { stdio: 'ignore', env: { PATH: process.env['PATH'], HOME: folder } },
  );
  const exited = once(server, 'exit');
  await waitUntil(async () => {
    if (server.exitCode !== null) throw new Error('the development server of Vault did not start');
    // Another server on this port does not know the token.
    return fetch(`${address}/v1/auth/token/lookup-self`, { headers: { 'X-Vault-Token': token } }).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return { address, server, exited };
}

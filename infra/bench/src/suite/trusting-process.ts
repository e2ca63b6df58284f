import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SuiteCertificates } from '@tributary/local';
import { reachableTemporaryDirectory } from '@tributary/local-databases';

/** Names the folder of the certificates to the process that trusts them. */
const variable = 'TRIBUTARY_CERTIFICATES';

/** The folder of the certificates of the suite; this process trusts their authority. */
export function certificateFolder(): string {
  const folder = process.env[variable];
  if (folder === undefined) throw new Error(`${variable} is not set`);
  return folder;
}

/**
 * Runs this program in a process that trusts the authority of the suite: Node.js reads further authorities only when a
 * process starts.
 * @returns its exit status; undefined in that process itself
 */
export async function runTrusting(): Promise<number | undefined> {
  if (process.env[variable] !== undefined) return undefined;
  const folder = mkdtempSync(join(reachableTemporaryDirectory(), 'tributary-bench-tls-'));
  try {
    const { authorityFile } = await SuiteCertificates.open(folder);
    const child = spawn(process.execPath, process.argv.slice(1), {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: authorityFile, [variable]: folder },
      stdio: 'inherit',
    });
    // A terminal sends these signals to both processes.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
    const [status] = (await once(child, 'exit')) as [number | null];
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

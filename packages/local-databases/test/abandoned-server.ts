import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Rewrites the pid file as if the process that started the server had been killed since. */
export async function pretendLauncherDied(directory: string): Promise<void> {
  const file = join(directory, 'running.json');
  const record = JSON.parse(await readFile(file, 'utf8')) as { server: { pid: number } };
  await writeFile(
    file,
    JSON.stringify({ ...record, launcher: { pid: 1, startedAt: 'before this machine was built' } }),
  );
}

import { setTimeout as sleep } from 'node:timers/promises';
import { type RecordStorage, planExport, streamFile } from '@tributary/record-storage';
import { stateOf } from './basic';
import type { ExportSource } from './export-source';
import type { TakenExport, VersionState } from './operation';

const compactEveryMs = 25;
const exportEveryMs = 300;

/** The background operations, and errors that no crash explains. */
export interface BackgroundWork<T> {
  readonly done: readonly T[];
  readonly failures: readonly string[];
}

/** Compacts the blocks of the users repeatedly. Returns the number of blocks that each compaction replaced. */
export function keepCompacting(
  storage: RecordStorage,
  users: readonly number[],
  isOver: () => boolean,
): Promise<BackgroundWork<number>> {
  return again(compactEveryMs, users, isOver, async (user) => {
    const { retired } = await storage.compactRecord(user);
    return retired > 0 ? retired : undefined;
  });
}

/** Takes exports repeatedly. */
export function keepExporting(
  source: ExportSource,
  users: readonly number[],
  isOver: () => boolean,
): Promise<BackgroundWork<TakenExport>> {
  return again(exportEveryMs, users, isOver, async (user) => {
    const started = performance.now();
    return { user, started, ...(await takeExport(source, user)) };
  });
}

async function again<T>(
  everyMs: number,
  users: readonly number[],
  isOver: () => boolean,
  work: (user: number) => Promise<T | undefined>,
): Promise<BackgroundWork<T>> {
  const done: T[] = [];
  const failures: string[] = [];
  for (let round = 0; !isOver(); round++) {
    try {
      const result = await work(users[round % users.length] as number);
      if (result !== undefined) done.push(result);
    } catch (error) {
      if (!isOutage(error)) failures.push(error instanceof Error ? error.message : 'unknown reason');
    }
    await sleep(everyMs);
  }
  return { done, failures };
}

/** The resources in the export of a user as of a new snapshot time, in epoch milliseconds. */
export async function takeExport(
  { records, snapshotTime }: ExportSource,
  userId: number,
): Promise<Pick<TakenExport, 'at' | 'resources'>> {
  const at = await snapshotTime();
  const resources: VersionState[] = [];
  for (const file of await planExport(records, { scope: { userId }, at })) {
    const pieces: Buffer[] = [];
    for await (const piece of streamFile(records, file, { encoding: 'identity' })) pieces.push(piece);
    const lines = Buffer.concat(pieces).toString().split('\n');
    for (const line of lines.filter((text) => text !== '')) resources.push(stateOf(JSON.parse(line)));
  }
  return { at, resources };
}

/** Whether an error is explained by a crash of PostgreSQL. */
function isOutage(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return (
    /^(ECONN|EPIPE|08|57P)/.test(code) ||
    /^(Connection terminated|timeout exceeded|Client has encountered)/.test(message)
  );
}

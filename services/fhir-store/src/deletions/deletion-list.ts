import type { RecordStorage } from '@tributary/record-storage';
import { z } from 'zod';

/** One NDJSON line of the list of destroyed records. `user_id` is the internal id of the user. */
const deletionLine = z.object({ user_id: z.int().positive(), destroyed_at: z.iso.datetime() });

const pageSize = 1000;

/** Yields the list of destroyed records as NDJSON, in chunks of lines. */
export async function* exportDeletions(storage: RecordStorage): AsyncGenerator<string> {
  for (let after = 0; ;) {
    const page = await storage.destroyedRecords(after, pageSize);
    if (page.length > 0)
      yield page
        .map(
          ({ userId, destroyedAt }) =>
            `${JSON.stringify({ user_id: userId, destroyed_at: new Date(destroyedAt).toISOString() })}\n`,
        )
        .join('');
    if (page.length < pageSize) return;
    after = page.at(-1)?.userId ?? after;
  }
}

/**
 * Destroys all records of a list, for use after a restore of keys and records from backups that are older than the
 * destructions.
 * @param recordUsers records in the audit log whose records are destroyed, before that happens
 * @returns the number of records in the list
 * @throws Error that names the first invalid line; nothing is destroyed then
 */
export async function replayDeletions(
  storage: RecordStorage,
  list: string,
  recordUsers: (serviceUserIds: readonly number[]) => Promise<void>,
): Promise<number> {
  const users = list.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [userOf(line, index + 1)]));
  await recordUsers(users);
  await storage.destroyRecords(users);
  return users.length;
}

function userOf(line: string, number: number): number {
  try {
    return deletionLine.parse(JSON.parse(line)).user_id;
  } catch {
    throw new Error(`line ${number} is not a line of a list of destroyed records: {"user_id":…,"destroyed_at":"…"}`);
  }
}

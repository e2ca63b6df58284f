import { parseArgs } from 'node:util';
import { serviceUserIdText } from '@tributary/contracts';
import { type RecordProblem, type RecordStorage, typeOfCode } from '@tributary/record-storage';
import type { Pool } from 'pg';
import { extractIndexValues } from './reindexing';

const usage = `record verify --user SERVICE_USER_ID [--json]

Verifies that every block of a record opens, that every version is where its row says, that the index rows agree with
the index rules, and that the versions of each resource are 1 to n. It prints counts and problems, with ids and without
anything of the record, and exits with 1 when it finds a problem. The record is read and written meanwhile.
`;

export interface RecordCommandContext {
  /** Opens the storage; not called for help and for wrong arguments. */
  withStorage(work: (storage: RecordStorage, pool: Pool) => Promise<void>): Promise<void>;
  /** Records in the audit log on whose records the command acts. */
  recordUsers(pool: Pool, serviceUserIds: readonly number[]): Promise<void>;
  print(line: string): void;
}

/**
 * Runs `record verify`.
 * @param words the words after `record`
 * @returns the exit status
 * @throws Error that says what is wrong with the arguments
 */
export async function runRecordCommand(
  words: readonly string[],
  { withStorage, recordUsers, print }: RecordCommandContext,
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { user: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    print(usage.trimEnd());
    return 0;
  }
  if (positionals.length !== 1 || positionals[0] !== 'verify') throw new Error(usage);
  const { data: userId } = serviceUserIdText.safeParse(values.user);
  if (userId === undefined) throw new Error('--user must be a service_user_id');
  let problems = 0;
  await withStorage(async (storage, pool) => {
    await recordUsers(pool, [userId]);
    const verified = await storage.verifyRecord(userId, extractIndexValues, (problem) =>
      print(values.json ? JSON.stringify(entryOf(problem)) : lineOf(problem)),
    );
    if (!verified) throw new Error('there is no record of this user, or it is destroyed');
    ({ problems } = verified);
    const { blocks, current, superseded, outdated } = verified;
    print(
      values.json
        ? JSON.stringify(verified)
        : `${blocks} blocks, ${current} current and ${superseded} superseded versions, ${outdated} with an older index; problems: ${problems}`,
    );
  });
  return problems === 0 ? 0 : 1;
}

function entryOf({ problem, typeCode, id, version, blockId }: RecordProblem): Record<string, unknown> {
  return { problem, type: typeOfCode(typeCode), id, version, block_id: blockId };
}

function lineOf({ problem, typeCode, id, version, blockId }: RecordProblem): string {
  const resource = id === undefined ? typeOfCode(typeCode) : `${typeOfCode(typeCode)}/${id}`;
  return [
    problem,
    resource,
    ...(version === undefined ? [] : [`version ${version}`]),
    ...(blockId === undefined ? [] : [`block ${blockId}`]),
  ].join('  ');
}

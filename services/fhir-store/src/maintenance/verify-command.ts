import { type RecordProblem, type RecordStorage, typeOfCode } from '@tributary/record-storage';
import { serviceUserIdArgument } from '@tributary/service-kit';
import { Command } from 'commander';
import type { Pool } from 'pg';
import { extractIndexValues } from './reindexing';

export interface RecordCommandContext {
  /** Opens the storage. */
  withStorage(work: (storage: RecordStorage, pool: Pool) => Promise<void>): Promise<void>;
  /** Records in the audit log on whose records the command acts. */
  recordUsers(pool: Pool, serviceUserIds: readonly number[]): Promise<void>;
  print(line: string): void;
  setExitStatus(status: number): void;
}

/** The operator's command `record verify`. */
export function recordCommand(context: RecordCommandContext): Command {
  const command = new Command('record').description('the records of users');
  command
    .command('verify')
    .description(
      'verify that every block of a record opens, that every version is where its row says, that the index rows agree with the index rules, and that the versions of each resource are 1 to n. It prints counts and problems, with ids and without anything of the record, and exits with 1 when it finds a problem. The record is read and written meanwhile',
    )
    .requiredOption('--user <service-user-id>', 'whose', serviceUserIdArgument)
    .option('--json', 'as JSON')
    .action(({ user, json }: { user: number; json?: true }) => verify(context, user, json === true));
  return command;
}

async function verify(
  { withStorage, recordUsers, print, setExitStatus }: RecordCommandContext,
  userId: number,
  isJson: boolean,
): Promise<void> {
  await withStorage(async (storage, pool) => {
    await recordUsers(pool, [userId]);
    const verified = await storage.verifyRecord(userId, extractIndexValues, (problem) =>
      print(isJson ? JSON.stringify(entryOf(problem)) : lineOf(problem)),
    );
    if (!verified) throw new Error('there is no record of this user, or it is destroyed');
    const { blocks, current, superseded, outdated, problems } = verified;
    print(
      isJson
        ? JSON.stringify(verified)
        : `${blocks} blocks, ${current} current and ${superseded} superseded versions, ${outdated} with an older index; problems: ${problems}`,
    );
    setExitStatus(problems === 0 ? 0 : 1);
  });
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

import { CheckpointKey, CheckpointKeys, readNewestCheckpoint } from '@tributary/audit-log';
import { type RecordSubjects, argument, serviceUserIdArgument } from '@tributary/service-kit';
import type { Pool } from 'pg';
import { Command, InvalidArgumentError } from 'commander';
import { AuditBlocks, type BlockPlace } from '../blocks/audit-blocks';
import { anchorOf } from '../checkpoints/anchors';
import type { LogConfig } from '../config';
import { csvHeader, csvLine, disclosuresOf } from './disclosures';
import { exportEvents } from './export-events';
import { listCheckpoints, listStreams } from './list-log';
import { printable } from './printable';
import { countsLine, findingLine, verifyLog } from '../verification/verify-log';
import { type Dates, fromOption, periodOf, toOption } from './time-option';

export interface AuditCommandDependencies {
  recordSubjects: RecordSubjects;
  withLog(work: (pool: Pool, config: LogConfig) => Promise<void>): Promise<void>;
  /** Writes a line, and resolves when more can be written. */
  print(line: string): Promise<void>;
  /** Writes a line that is no part of the result. */
  warn(line: string): void;
  /** Makes the command fail once it has ended. */
  fail(): void;
}

interface VerifyOptions extends Pick<Dates, 'from'> {
  contents?: boolean;
  anchor?: string;
  json?: boolean;
}

/** PostgreSQL has no times before 4713 BC. */
const maxDays = 1_000_000;

/** The operator's commands `audit …`. */
export function auditCommand({ recordSubjects, withLog, print, warn, fail }: AuditCommandDependencies): Command {
  const audit = new Command('audit').description('the audit log: who has accessed whose record');
  const printText = (text: string): Promise<void> => print(printable(text));
  const printAll = async (lines: AsyncIterable<string>): Promise<void> => {
    for await (const line of lines) await print(line);
  };

  /** Reads events; the command fails when there are blocks that it must leave out. */
  const withEvents = (work: (blocks: AuditBlocks) => Promise<void>): Promise<void> =>
    withLog(async (pool, config) => {
      let unopened = 0;
      const report = ({ streamId, sequence, startedAt }: BlockPlace): void => {
        unopened++;
        warn(`block not opened  stream ${streamId}  block ${sequence}  ${new Date(startedAt).toISOString()}`);
      };
      await work(new AuditBlocks(pool, config.AUDIT_OPENING_KEY, report));
      if (unopened === 0) return;
      warn(`the result is incomplete: ${unopened} ${unopened === 1 ? 'block' : 'blocks'} cannot be opened`);
      fail();
    });

  audit
    .command('verify')
    .description('detect changed, deleted and truncated events; the exit status is 1 when there are any')
    .addOption(fromOption())
    .option('--contents', 'open every block as well: only the process of its stream can have written it')
    .option(
      '--anchor <file>',
      'a file of checkpoints that were kept outside of the database; by default that of AUDIT_ANCHOR_FILE',
    )
    .option('--json', 'as JSON, one line for each problem, then the counts')
    .action(async ({ from, contents, anchor, json }: VerifyOptions) => {
      await withLog(async (pool, config) => {
        const counts = await verifyLog(pool, config, {
          from: from?.low,
          contents,
          anchorFile: anchor,
          onFinding: (finding) => void print(json ? JSON.stringify(finding) : findingLine(finding)),
        });
        await print(json ? JSON.stringify(counts) : countsLine(counts));
        if (counts.findings > 0) fail();
      });
    });

  audit
    .command('anchor')
    .description('the newest checkpoint as a line of an anchor file, to be kept where no superuser of the database is')
    .action(() =>
      withLog(async (pool, { AUDIT_SIGNING_KEY: { accepted } }) => {
        const newest = await readNewestCheckpoint(pool);
        if (!newest) throw new Error('there is no checkpoint yet');
        const keys = new CheckpointKeys(accepted.map((text) => new CheckpointKey(text).publicKey));
        if (keys.check(newest).length > 0)
          throw new Error(`the checkpoint ${newest.number} is not signed by a key of AUDIT_SIGNING_KEY`);
        await print(JSON.stringify(anchorOf(newest)));
      }),
    );

  audit
    .command('export')
    .description('events as NDJSON, oldest first, each with the hash of its block')
    .addOption(fromOption())
    .addOption(toOption())
    .option('--client <client-id>', 'only events of this client application')
    .option('--user <service-user-id>', 'only events of this user', serviceUserIdArgument)
    .action(async ({ client, user, ...dates }: Dates & { client?: string; user?: number }) => {
      if (client !== undefined || user !== undefined) await recordSubjects([{ serviceUserId: user, clientId: client }]);
      await withEvents((blocks) =>
        printAll(exportEvents(blocks, { clientId: client, userId: user, ...periodOf(dates) })),
      );
    });

  audit
    .command('disclosures')
    .description("the accounting of disclosures of a user's data (45 CFR 164.528): date, recipient, what, purpose")
    .requiredOption('--user <service-user-id>', 'the user', serviceUserIdArgument)
    .addOption(fromOption())
    .addOption(toOption())
    .option('--json', 'as JSON, one line for each disclosure')
    .option('--csv', 'as comma-separated values')
    .action(async ({ user, json, csv, ...dates }: Dates & { user: number; json?: boolean; csv?: boolean }) => {
      await recordSubjects([{ serviceUserId: user }]);
      await withEvents(async (blocks) => {
        if (csv) await print(csvHeader);
        for (const disclosure of await disclosuresOf(blocks, user, periodOf(dates))) {
          const { date, recipient, address, what, purpose, recordedBy } = disclosure;
          const text = `${date}  ${recipient}${address === '' ? '' : ` (${address})`}  ${what}  ${purpose}  recorded by ${recordedBy}`;
          if (json) await print(JSON.stringify(disclosure));
          else if (csv) await print(csvLine(disclosure));
          else await printText(text);
        }
      });
    });

  audit
    .command('streams')
    .description('the processes that have recorded events, newest first')
    .option('--days <days>', 'those that began in the last days', daysArgument, 7)
    .option('--limit <number>', 'how many', positiveInteger, 1000)
    .option('--json', 'as JSON')
    .action(async ({ days, limit, json }: { days: number; limit: number; json?: boolean }) => {
      await withLog(async (pool) => {
        const all = await listStreams(pool, days, limit);
        if (all.length === limit) warn(`there may be others: --limit is ${limit}`);
        if (json) return print(JSON.stringify({ entry: all }));
        for (const { stream, service, writtenBy, instance, started, blocks, last } of all)
          await printText(
            `${started}  ${stream}  ${service}  ${instance}  role: ${writtenBy}  blocks: ${blocks}  last: ${last ?? 'none'}`,
          );
      });
    });

  audit
    .command('checkpoints')
    .description('the newest signed checkpoints')
    .option('--limit <number>', 'how many', positiveInteger, 20)
    .option('--json', 'as JSON')
    .action(async ({ limit, json }: { limit: number; json?: boolean }) => {
      await withLog(async (pool) => {
        const all = await listCheckpoints(pool, limit);
        if (json) return print(JSON.stringify({ entry: all }));
        for (const { number, at, streams, hash, key } of all)
          await printText(`${number}  ${at}  streams: ${streams ?? 'not readable'}  key: ${key}  ${hash}`);
      });
    });
  return audit;
}

const positiveInteger = argument(
  (text) => (/^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : undefined),
  'It must be a positive integer.',
);

function daysArgument(text: string): number {
  const days = positiveInteger(text);
  if (days > maxDays) throw new InvalidArgumentError(`It must be at most ${maxDays}.`);
  return days;
}

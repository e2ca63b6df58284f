import { connectionId } from '@tributary/contracts';
import type { RecordSubjects } from '@tributary/service-kit';
import { type Command, InvalidArgumentError } from 'commander';
import type { DataSource } from 'typeorm';
import { type RequeueRefusal, requeueCollection } from '../collection/requeue-collection';
import { type ConnectionReport, reportConnection } from './connection-report';

export interface ConnectionCommandContext {
  recordSubjects: RecordSubjects;
  print(line: string): void;
  withDatabase(work: (database: DataSource) => Promise<void>): Promise<void>;
}

const unknownConnection = 'there is no such connection';
const refusals: Record<RequeueRefusal, string> = {
  unknown: unknownConnection,
  revoked: 'the connection is revoked: the user must connect again',
  consent_ended: 'the time of the consent has run out: the user must connect again',
  needs_reauthorization: 'the connection has no tokens: the user must connect again',
  user_inactive: 'the user is not active',
};

/** Adds `show` and `requeue` to the command `connection`. */
export function addConnectionCommands(
  connection: Command,
  { recordSubjects, print, withDatabase }: ConnectionCommandContext,
): void {
  /** @throws Error when there is no such connection */
  const recordUserOf = async (database: DataSource, id: string): Promise<void> => {
    const [row] = (await database.query('SELECT service_user_id, client_id FROM connection WHERE connection_id = $1', [
      id,
    ])) as { service_user_id: string; client_id: string }[];
    if (!row) throw new Error(unknownConnection);
    await recordSubjects([{ serviceUserId: Number(row.service_user_id), clientId: row.client_id }]);
  };

  connection
    .command('show')
    .description(
      'the state of a connection: attempts, last error, next retry, progress by type; no tokens, no contents',
    )
    .argument('<connection-id>', 'which', connectionIdArgument)
    .option('--json', 'as JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withDatabase(async (database) => {
        await recordUserOf(database, id);
        const report = await reportConnection(database, id);
        if (!report) throw new Error(unknownConnection);
        if (json) print(JSON.stringify(report));
        else for (const line of reportLines(report)) print(line);
      });
    });

  connection
    .command('requeue')
    .description('collect a connection again now; a collection that waits to be retried continues at once')
    .argument('<connection-id>', 'which', connectionIdArgument)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nThe job is added within SWEEP_EVERY_SECONDS. A repeated command changes nothing more.')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withDatabase(async (database) => {
        await recordUserOf(database, id);
        const result = await requeueCollection(database, id);
        if ('refusal' in result) throw new Error(refusals[result.refusal]);
        print(
          json
            ? JSON.stringify(result)
            : `collection ${result.collection_id} ${result.is_new ? 'begins' : 'in progress continues'} now`,
        );
      });
    });
}

function reportLines({ types, grant, error, ...of }: ConnectionReport): string[] {
  const lines: [string, string | number | Date | null][] = [
    ['connection', of.connection_id],
    ['client', of.client_id],
    ['user', `${of.service_user_id} (${of.user_state})`],
    ['health system', `${of.health_system_id} ${of.health_system_name}`],
    ['FHIR base', `${of.fhir_base_url} (${of.fhir_version})`],
    ['status', of.status],
    ['consent', of.is_consent_expired ? 'has run out' : null],
    ['paused', of.is_paused ? 'by the operator' : null],
    ['collection', of.collection_id],
    ['full collection', of.full_collection],
    ['last error', error && `${error.code}: ${error.message}`],
    ['failed attempts', of.failed_attempts],
    ['failing since', of.failing_since],
    ['next retry', of.retry_at],
    ['last progress', of.heartbeat_at],
    ['job added again', of.enqueue_at],
    ['last completed', of.last_completed_at],
    ['next collection', of.next_collection_at],
    ['tokens', grant ? (grant.refreshable ? 'refreshable' : 'not refreshable') : 'none'],
    ['access until', grant?.access_token_expires_at ?? null],
    ['refresh failures', grant && grant.refresh_failures + grant.refresh_refusals],
    ['next refresh', grant?.next_refresh_at ?? null],
    ['client problem', grant?.client_problem ?? null],
  ];
  return [
    ...lines.flatMap(([name, value]) =>
      value === null ? [] : [`${name.padEnd(17)}${value instanceof Date ? value.toISOString() : value}`],
    ),
    ...types.map(
      ({ type, read, done, outcome, fetched, stored, failed, warnings }) =>
        `  ${type}  ${read}  ${done ? outcome : 'in progress'}  fetched ${fetched}, stored ${stored}, failed ${failed}${warnings.length > 0 ? `  ${warnings.join(' ')}` : ''}`,
    ),
  ];
}

function connectionIdArgument(text: string): string {
  if (!connectionId.safeParse(text).success) throw new InvalidArgumentError('It must be the UUID of a connection.');
  return text;
}

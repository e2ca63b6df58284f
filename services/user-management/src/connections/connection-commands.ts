import { type HealthSystemOutcomes, connectionId } from '@tributary/contracts';
import { argument } from '@tributary/service-kit';
import type { Command } from 'commander';
import type { DataSource } from 'typeorm';
import { type RequeueRefusal, requeueCollection } from '../collection/requeue-collection';
import {
  type CommandContext,
  type JsonOption,
  endpointsOf,
  jsonOption,
  positiveInteger,
  printEntries,
  withDatabase,
} from '../command-context';
import { listProblems } from '../grants/client-problems';
import { listOutcomes } from '../outcomes/connect-outcomes';
import { type ConnectionReport, reportConnection } from './connection-report';

const unknownConnection = 'there is no such connection';
const refusals: Record<RequeueRefusal, string> = {
  unknown: unknownConnection,
  revoked: 'the connection is revoked: the user must connect again',
  consent_ended: 'the time of the consent has run out: the user must connect again',
  needs_reauthorization: 'the connection has no tokens: the user must connect again',
  user_inactive: 'the user is not active',
};

/** PostgreSQL has no times before 4713 BC. */
const maxDays = 1_000_000;

const connectionIdArgument = argument(
  (text) => connectionId.safeParse(text).data,
  'It must be the UUID of a connection.',
);
const daysArgument = argument((text) => {
  const days = positiveInteger(text);
  return days > maxDays ? undefined : days;
}, `It must be at most ${maxDays}.`);

/** Adds `connection problems`, `outcomes`, `show` and `requeue`. */
export function addConnectionCommands(program: Command, context: CommandContext): void {
  const { print } = context;
  const connection = program.command('connection').description('connections of users to health systems');
  const subcommand = (name: string, description: string): Command =>
    jsonOption(connection.command(name).description(description));

  subcommand(
    'problems',
    'health systems whose collections wait: for a correct registration, or for the health system',
  ).action((options: JsonOption) =>
    withDatabase(context, async ({ database }) =>
      printEntries(
        context,
        options,
        await listProblems(database),
        ({ health_system_id, health_system_name, fhir_base_url, problem, connections, since }) =>
          `${health_system_id}  ${health_system_name}  ${fhir_base_url}  ${problem}  connections: ${connections}  since ${since.toISOString()}`,
      ),
    ),
  );

  subcommand(
    'outcomes',
    'per health system: connects by result, failed refreshes, collections by result, refused types',
  )
    .option('--days <days>', 'the period: today (UTC) and the days before it', daysArgument, 7)
    .option('--health-system <id>', 'one health system only', positiveInteger)
    .action(({ days, healthSystem, json }: JsonOption & { days: number; healthSystem?: number }) =>
      withDatabase(context, async ({ database }) => {
        const all = await listOutcomes(database, days, healthSystem);
        if (all.length === 0 && healthSystem !== undefined) await endpointsOf(context, String(healthSystem));
        if (json) print(JSON.stringify({ days, entry: all }));
        else all.flatMap(outcomeLines).forEach((line) => print(line));
      }),
    );

  /** @throws Error when there is no such connection */
  const recordUserOf = async (database: DataSource, id: string): Promise<void> => {
    const [row] = (await database.query('SELECT service_user_id, client_id FROM connection WHERE connection_id = $1', [
      id,
    ])) as { service_user_id: string; client_id: string }[];
    if (!row) throw new Error(unknownConnection);
    await context.recordSubjects([{ serviceUserId: Number(row.service_user_id), clientId: row.client_id }]);
  };

  subcommand(
    'show',
    'the state of a connection: attempts, last error, next retry, progress by type; no tokens, no contents',
  )
    .argument('<connection-id>', 'which', connectionIdArgument)
    .action((id: string, { json }: JsonOption) =>
      withDatabase(context, async ({ database }) => {
        await recordUserOf(database, id);
        const report = await reportConnection(database, id);
        if (!report) throw new Error(unknownConnection);
        if (json) print(JSON.stringify(report));
        else reportLines(report).forEach((line) => print(line));
      }),
    );

  subcommand('requeue', 'collect a connection again now; a collection that waits to be retried continues at once')
    .argument('<connection-id>', 'which', connectionIdArgument)
    .addHelpText('after', '\nThe job is added within SWEEP_EVERY_SECONDS. A repeated command changes nothing more.')
    .action((id: string, { json }: JsonOption) =>
      withDatabase(context, async ({ database }) => {
        await recordUserOf(database, id);
        const result = await requeueCollection(database, id);
        if ('refusal' in result) throw new Error(refusals[result.refusal]);
        const { is_new, job } = result;
        const { collection_id } = job;
        print(
          json
            ? JSON.stringify({ collection_id, is_new })
            : `collection ${collection_id} ${is_new ? 'begins' : 'in progress continues'} now`,
        );
      }),
    );
}

function outcomeLines(entry: HealthSystemOutcomes): string[] {
  const { connects, refresh_failures, collections, types_refused } = entry;
  const counts = (of: Record<string, number>): string =>
    Object.entries(of)
      .sort(([, one], [, other]) => other - one)
      .map(([reason, occurrences]) => `${reason} ${occurrences}`)
      .join(', ') || 'none';
  return [
    `${entry.health_system_id}  ${entry.health_system_name}`,
    `  connects: started ${connects.started}, connected ${connects.connected}, failed: ${counts(connects.failed)}`,
    `  failed refreshes: ${counts(refresh_failures)}`,
    `  collections: ${counts(collections)}`,
    `  refused types: ${counts(types_refused)}`,
  ];
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

import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { StreamKeyOpener, createAuditSchema, openBlock } from '@tributary/audit-log';
import { type TestDatabase, createDatabase } from '@tributary/test-environment';
import { Client } from 'pg';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const sealingKey = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const opener = new StreamKeyOpener([privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')]);

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await createDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  const { username } = new URL(database.url);
  await createAuditSchema(client, { writers: [username], reader: username });
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** @param body of the action of the command `noun verb [target]` */
function programOf(body: string): string {
  const kit = JSON.stringify(join(__dirname, '..', '..', 'dist', 'audit', 'run-admin-command.js'));
  const commander = JSON.stringify(require.resolve('commander'));
  return `
    const { Command } = require(${commander});
    process.argv.splice(1, 0, 'admin.js');
    require(${kit}).runAdminCommand('auth', (recordSubjects) => {
      const program = new Command('auth');
      program.command('client').addCommand(
        new Command('create').argument('[target]').option('--name <name>').option('--redirect-uri <uri>').option('--host <host>')
          .option('--client-secret <secret>').option('--json').option('--group <id>').option('--no-group')
          .action(async (_target, _options, command) => { ${body} }),
      );
      return program;
    });`;
}

/** Runs a command in a process, as an operator does. */
function run(
  words: string[],
  body: string,
  environment: Record<string, string> = {},
): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', programOf(body), '--', ...words], {
    encoding: 'utf8',
    env: {
      DATABASE_URL: database.url,
      AUDIT_SEALING_KEY: sealingKey,
      AUDIT_OPERATOR: 'jane@console',
      SANDBOX_MODE: 'true',
      ...environment,
    },
  });
  return { status, output: stdout + stderr };
}

/** The events of commands, the newest last. */
async function events(): Promise<object[]> {
  const { rows: streams } = await client.query<{ streamId: string; wrapped: Buffer; keyId: string }>(
    'SELECT stream_id AS "streamId", key_wrapped AS wrapped, key_id AS "keyId" FROM audit.stream ORDER BY started_at',
  );
  const found: object[] = [];
  for (const stream of streams) {
    const { rows } = await client.query<Parameters<typeof openBlock>[1] & { keys: never }>(
      `SELECT stream_id AS "streamId", sequence::int, (extract(epoch FROM started_at) * 1000)::float8 AS "startedAt",
        events, keys, previous, content, hash FROM audit.block WHERE stream_id = $1 ORDER BY sequence`,
      [stream.streamId],
    );
    const opened = rows.flatMap((row) =>
      openBlock(opener.open(stream), { ...row, keys: (row.keys as string[]).map(BigInt) }),
    );
    found.push(...opened.filter(({ kind }) => kind === 'operator.command'));
  }
  return found;
}

it('records who runs which command on which target, before it and after it, without secrets and names', async () => {
  const words = ['client', 'create', 'test-1', '--name', 'Jane Doe', '--redirect-uri=https://app.example/?code=1'];
  words.push('--client-secret', '0123456789', '--host', '*.ehr.example:8443', '--json');
  expect(run(words, `console.log('did it')`)).toEqual({ status: 0, output: 'did it\n' });
  const command = {
    action: 'E',
    agent: { service: 'auth', operator: 'jane@console' },
    entities: [
      {
        query:
          'client create test-1 --name --redirect-uri=https://app.example --host=*.ehr.example:8443 --client-secret --json',
      },
    ],
  };
  const [begun, ended] = (await events()).slice(-2);
  expect(begun).toMatchObject({ ...command, outcome: 'begun' });
  expect(ended).toMatchObject({ ...command, outcome: 'success', eventOf: expect.stringContaining('.') as string });
});

it.each([
  [['--group', '7'], 'client create --group=7'],
  [['--no-group'], 'client create --no-group'],
])('records %j as it was typed', async (options, query) => {
  expect(run(['client', 'create', ...options], `console.log('did it')`)).toEqual({ status: 0, output: 'did it\n' });
  expect((await events()).at(-1)).toMatchObject({ entities: [{ query }] });
});

it('records on whom a command acts, before it acts and after it', async () => {
  const words = ['client', 'create'];
  const body = `await recordSubjects([{ serviceUserId: 42, clientId: 'app' }, { clientId: 'other' }]); console.log('did it')`;
  expect(run(words, body)).toEqual({ status: 0, output: 'did it\n' });
  const found = (await events()).slice(-6) as { outcome: string; subject?: number; agent: { clientId?: string } }[];
  expect(found.map(({ outcome, subject, agent }) => [outcome, subject, agent.clientId])).toEqual([
    ['begun', undefined, undefined],
    ['begun', 42, 'app'],
    ['begun', undefined, 'other'],
    ['success', undefined, undefined],
    ['success', 42, 'app'],
    ['success', undefined, 'other'],
  ]);
  expect(run(words, `await recordSubjects([{ serviceUserId: 43 }]); process.kill(process.pid, 'SIGKILL')`).output).toBe(
    '',
  );
  expect((await events()).at(-1)).toMatchObject({ outcome: 'begun', subject: 43 });
});

it('records what else a command acts on, where the command does not name it', async () => {
  const entity = { type: 'Account', id: '7' };
  expect(run(['client', 'create'], `await recordSubjects([{ entity: ${JSON.stringify(entity)} }])`).status).toBe(0);
  expect((await events()).slice(-2)).toMatchObject([
    { outcome: 'success', entities: [{ query: 'client create' }] },
    { outcome: 'success', entities: [{ query: 'client create' }, entity] },
  ]);
});

it('does not act on a user when that cannot be recorded', () => {
  const body = `await recordSubjects([{ serviceUserId: 1.5 }]); console.log('did it')`;
  expect(run(['client', 'create'], body)).toEqual({
    status: 1,
    output: expect.stringContaining('the event is not valid'),
  });
});

it.each([
  ['throws', `throw new Error('it failed')`],
  ['sets the exit status', 'process.exitCode = 3'],
  ['ends with an error of commander', `command.error('there is no such client')`],
])('records a command that %s as failed', async (_how, body) => {
  expect(run(['client', 'create'], body).status).toBeGreaterThan(0);
  expect((await events()).at(-1)).toMatchObject({ outcome: 'failed', entities: [{ query: 'client create' }] });
});

it('does not run a command that cannot be recorded, and shows help without a database', async () => {
  const empty = await createDatabase();
  const elsewhere = { DATABASE_URL: empty.url };
  const { status, output } = run(['client', 'create'], `console.log('did it')`, elsewhere);
  expect([status, output]).toEqual([1, expect.stringContaining('provision the database')]);
  for (const words of [['--help'], ['client', '--help'], ['client', 'create', '-h'], ['help']])
    expect(run(words, `console.log('did it')`, elsewhere)).toEqual({
      status: 0,
      output: expect.stringContaining('Usage: tributary') as string,
    });
  expect(run(['client', 'destroy', '-h'], `console.log('did it')`, elsewhere).output).not.toContain('did it');
  await empty.drop();
});

it('records a command whose option has the value -h', async () => {
  expect(run(['client', 'create', '--name', '-h'], `console.log('did it')`)).toEqual({ status: 0, output: 'did it\n' });
  expect((await events()).at(-1)).toMatchObject({ outcome: 'success', entities: [{ query: 'client create --name' }] });
});

it('needs the name of the operator outside of sandbox mode', () => {
  const production = { SANDBOX_MODE: 'false', AUDIT_OPERATOR: '' };
  const { status, output } = run(['client', 'create'], `console.log('did it')`, production);
  expect([status, output]).toEqual([1, expect.stringMatching(/^error: AUDIT_OPERATOR must name you/)]);
});

it('tells the process that has started it when it does more than to print help or an error', async () => {
  const words = [['client', 'create', '--name', 'a'], ['client', 'create', '-h'], ['client', 'creat'], ['client']];
  const messages = await Promise.all(
    words.map(async (each) => {
      const received: unknown[] = [];
      const child = spawn(process.execPath, ['-e', programOf(''), '--', ...each], {
        env: { DATABASE_URL: database.url, SANDBOX_MODE: 'true' },
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
      child.on('message', (message) => received.push(message));
      await once(child, 'close');
      return received;
    }),
  );
  expect(messages).toEqual([['begins'], [], [], []]);
});

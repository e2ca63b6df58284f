import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
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

/** Runs a command in a process, as an operator does. @param body of the command */
function run(words: string[], body: string, url = database.url): { status: number | null; output: string } {
  const kit = JSON.stringify(join(__dirname, '..', '..', 'dist', 'index.js'));
  const program = `require(${kit}).runAdminCommand('auth', process.argv.slice(1), async (recordSubjects) => { ${body} })
    .catch((error) => { console.log(error.message); process.exitCode = 1; });`;
  const { status, stdout } = spawnSync(process.execPath, ['-e', program, '--', ...words], {
    encoding: 'utf8',
    env: { DATABASE_URL: url, AUDIT_SEALING_KEY: sealingKey, AUDIT_OPERATOR: 'jane@console', SANDBOX_MODE: 'true' },
  });
  return { status, output: stdout };
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

it('records who runs which command with which options, before and after it, without its arguments', async () => {
  const words = ['client', 'create', '--name', 'Jane Doe', '--redirect-uri=https://secret.example', 'value'];
  expect(run(words, `console.log('did it')`)).toEqual({ status: 0, output: 'did it\n' });
  const command = {
    action: 'E',
    agent: { service: 'auth', operator: 'jane@console' },
    entities: [{ query: 'client create --name --redirect-uri' }],
  };
  const [begun, ended] = (await events()).slice(-2);
  expect(begun).toMatchObject({ ...command, outcome: 'begun' });
  expect(ended).toMatchObject({ ...command, outcome: 'success', eventOf: expect.stringContaining('.') as string });
});

it('records on whom a command acts, before it acts and after it', async () => {
  const words = ['record', 'verify', '--user', '42'];
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

it('does not act on a user when that cannot be recorded', async () => {
  const body = `await recordSubjects([{ serviceUserId: 1.5 }]); console.log('did it')`;
  expect(run(['record', 'verify'], body)).toEqual({
    status: 1,
    output: expect.stringContaining('the event is not valid'),
  });
});

it.each([
  ['throws', `throw new Error('it failed')`],
  ['sets the exit status', 'process.exitCode = 3'],
])('records a command that %s as failed', async (_how, body) => {
  expect(run(['keys', 'rotate'], body).status).toBeGreaterThan(0);
  expect((await events()).at(-1)).toMatchObject({ outcome: 'failed', entities: [{ query: 'keys rotate' }] });
});

it('does not run a command that cannot be recorded, and runs a request for help', async () => {
  const empty = await createDatabase();
  const { status, output } = run(['client', 'list'], `console.log('did it')`, empty.url);
  expect([status, output]).toEqual([1, expect.stringContaining('provision the database')]);
  expect(run(['client', '--help'], `console.log('helped')`, empty.url)).toEqual({ status: 0, output: 'helped\n' });
  await empty.drop();
});

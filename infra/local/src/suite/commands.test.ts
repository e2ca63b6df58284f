import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestDatabase, createDatabase } from '@tributary/test-environment';
import type { Command } from 'commander';
import { adminCommands } from './commands';

type ProgramOf = (recordSubjects: () => Promise<void>) => Command;
type RunAdminCommand = (service: string, programOf: ProgramOf) => Promise<void>;

const runAdminCommandPath = '../../../../packages/service-kit/src/audit/run-admin-command';
const mockPrograms = new Map<string, ProgramOf>();
jest.mock('../../../../packages/service-kit/src/audit/run-admin-command', () => ({
  runAdminCommand: (service: string, programOf: ProgramOf) => mockPrograms.set(service, programOf),
}));

const folder = join(__dirname, '../../../../services');
const services = readdirSync(folder).filter((service) => existsSync(join(folder, service, 'src', 'admin.ts')));
for (const service of services) jest.requireActual(join(folder, service, 'src', 'admin.ts'));
const { runAdminCommand } = jest.requireActual<{ runAdminCommand: RunAdminCommand }>(runAdminCommandPath);

/** A command of a service, with the words that an operator types. */
interface ListedCommand {
  service: string;
  path: string;
  command: Command;
}

function withSubcommands(service: string, command: Command, path: string): ListedCommand[] {
  const all = command.commands.flatMap((one) => withSubcommands(service, one, `${path} ${one.name()}`.trim()));
  return [{ service, path, command }, ...all];
}

const commands = [...mockPrograms].flatMap(([service, programOf]) =>
  withSubcommands(
    service,
    programOf(() => Promise.resolve()),
    '',
  ),
);
const groups = commands.filter(({ command }) => command.commands.length > 0);
const leaves = commands.filter(({ command }) => command.commands.length === 0);

const mistyped = (word: string): string => `${word.slice(0, -1)}_`;
/** A value for each argument that a command cannot do without. */
const requiredArguments = ({ command }: ListedCommand): string[] =>
  command.registeredArguments.filter(({ required }) => required).map(() => '1');

interface Outcome {
  status: number;
  stdout: string;
  stderr: string;
}

/** Runs a command as the program of its service does. */
async function run(service: string, words: string[], environment: Record<string, string> = {}): Promise<Outcome> {
  const outcome = { stdout: '', stderr: '' };
  const written = (name: keyof typeof outcome) => (text: unknown) => {
    outcome[name] += String(text);
    return true;
  };
  const { argv, env, send } = process;
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation(written('stdout')),
    jest.spyOn(process.stderr, 'write').mockImplementation(written('stderr')),
  ];
  process.argv = ['node', 'admin.js', ...words];
  process.env = { SANDBOX_MODE: 'true', ...environment };
  delete process.send; // The process that has started this one is jest.
  try {
    await runAdminCommand(service, mockPrograms.get(service)!);
    return { status: Number(process.exitCode ?? 0), ...outcome };
  } finally {
    for (const spy of spies) spy.mockRestore();
    Object.assign(process, { argv, env, send, exitCode: undefined });
  }
}

const wordsOf = (path: string): string[] => path.split(' ').filter((word) => word !== '');

it('lists the commands of all services, each of which runs by runAdminCommand', () => {
  expect([...mockPrograms.keys()]).toEqual(services);
  const found = commands.filter(({ path }) => /^\S+$/.test(path)).map(({ path, service }) => `${path} of ${service}`);
  const listed = Object.entries(adminCommands).flatMap(([name, { services: all }]) =>
    all.map((service) => `${name} of ${service}`),
  );
  expect(listed.sort()).toEqual(found.sort());
});

describe('without a database', () => {
  it.each(commands)('$service: $path --help prints what one types', async ({ service, path, command }) => {
    const { status, stdout, stderr } = await run(service, [...wordsOf(path), '--help']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^Usage: ${['tributary', ...wordsOf(path)].join(' ')} \\[options\\]`));
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(command.description());
    expect(command.description()).not.toBe('');
    const called = { ADMIN_PROGRAM: 'npm run admin --' };
    expect((await run(service, [...wordsOf(path), '-h'], called)).stdout).toBe(
      stdout.replace('tributary', 'npm run admin --'),
    );
  });

  it.each(groups)('$service: $path needs a command', async ({ service, path, command }) => {
    const names = command.commands.map((one) => one.name()).join(', ');
    const { status, stdout, stderr } = await run(service, wordsOf(path));
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Usage: /);
    expect(stderr.split('\n').slice(-3)).toEqual(['', `error: name a command: ${names}`, '']);
  });

  it.each(
    groups.flatMap(({ service, path, command }) =>
      command.commands.map((one) => ({ service, path, name: one.name(), typo: mistyped(one.name()) })),
    ),
  )('$service: $path $typo suggests $name', async ({ service, path, name, typo }) => {
    const { status, stdout, stderr } = await run(service, [...wordsOf(path), typo, '--json']);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      new RegExp(`^error: unknown command '${typo}'\n\\(Did you mean .*\\b${name}\\b.*\\?\\)\nThe commands are `),
    );
    expect((await run(service, [...wordsOf(path), 'help', typo])).stderr).toContain(`error: unknown command '${typo}'`);
  });

  it.each(
    leaves.flatMap(({ service, path, command }) =>
      [...command.options.map(({ long }) => long!), '--help'].map((flag) => ({ service, path, flag })),
    ),
  )('$service: $path suggests $flag for an unknown option that is near', async ({ service, path, flag }) => {
    const { status, stdout, stderr } = await run(service, [...wordsOf(path), mistyped(flag)]);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      new RegExp(`^error: unknown option '${mistyped(flag)}'\n\\(Did you mean .*${flag}\\b.*\\?\\)\n$`),
    );
  });

  it.each(
    leaves.flatMap(({ service, path, command }) =>
      command.registeredArguments
        .filter(({ required }) => required)
        .map((argument) => ({ service, path, name: argument.name() })),
    ),
  )('$service: $path names its argument $name, which is missing', async ({ service, path, name }) => {
    expect(await run(service, wordsOf(path))).toEqual({
      status: 1,
      stdout: '',
      stderr: `error: missing required argument '${name}'\n`,
    });
  });

  it.each(leaves.filter(({ command }) => command.options.some(({ mandatory }) => mandatory)))(
    '$service: $path names the required options, which are missing',
    async (listed) => {
      const { service, path, command } = listed;
      const flags = command.options.filter(({ mandatory }) => mandatory).map((option) => `'${option.flags}'`);
      expect(await run(service, [...wordsOf(path), ...requiredArguments(listed)])).toEqual({
        status: 1,
        stdout: '',
        stderr: `error: required ${flags.length === 1 ? 'option' : 'options'} ${flags.join(', ')} not specified\n`,
      });
    },
  );
});

it.each([
  ['audit streams --days 1000001', 'It must be at most 1000000.'],
  ['connection outcomes --days 1000001', 'It must be at most 1000000.'],
  ['webhook simulate --secret whsec_MDEyMzQ1Njc4 --url none', 'It must be an http(s) URL.'],
  ['directory verify --concurrency 0', 'It must be an integer from 1 to 9999.'],
])('refuses a value that cannot be used: %s', async (words, problem) => {
  const { status, stdout, stderr } = await run(adminCommands[words.split(' ')[0]!]!.services[0]!, words.split(' '));
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^error: option [^\n]+ is invalid\. [^\n]+\n$/);
  expect(stderr).toContain(problem);
});

describe('schema migrate', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.drop());

  it.each(adminCommands['schema']!.services)(
    '%s: creates its tables in an empty database, and changes nothing in one that is up to date',
    async (service) => {
      const schema = service.replaceAll('-', '_');
      const printed = async (): Promise<string> => {
        const outcome = await run(service, ['schema', 'migrate'], { DATABASE_URL: database.url });
        expect(outcome).toEqual({ status: 0, stdout: expect.any(String), stderr: '' });
        return outcome.stdout;
      };
      const [, version, applied] =
        /^the schema (?:\w+) is at version (\d+); migrations applied: (\d+)\n$/.exec(await printed()) ?? [];
      expect(Number(applied)).toBeGreaterThan(0);
      expect(applied).toBe(version);
      expect(await printed()).toBe(`the schema ${schema} is at version ${version}; migrations applied: 0\n`);
    },
  );

  it('fails with a sentence', async () => {
    const missing = Object.assign(new URL(database.url), { pathname: '/none' }).href;
    expect(await run('auth', ['schema', 'migrate'], { DATABASE_URL: missing })).toEqual({
      status: 1,
      stdout: '',
      stderr: 'error: database "none" does not exist\n',
    });
  });
});

const noFile = 'cannot be read: no such file or directory';

/** What names something that must exist, a command that names one which does not, and the error. */
const unknown: [argument: string, words: string, error: string][] = [
  ['client create --jwks', 'client create --name a --redirect-uri https://a.example --jwks /none', `/none ${noFile}`],
  ['client create --logo', 'client create --name a --redirect-uri https://a.example --logo /none', `/none ${noFile}`],
  ['client set --logo', 'client set none --logo /none', `/none ${noFile}`],
  ['client set <client-id>', 'client set none --types all', 'there is no such client'],
  ['client rotate-secret <client-id>', 'client rotate-secret none', 'there is no such client'],
  ['client set-jwks --jwks', 'client set-jwks none --jwks /none', `/none ${noFile}`],
  ['client set-jwks <client-id>', 'client set-jwks none --none', 'there is no such client'],
  ['client disable <client-id>', 'client disable none', 'there is no such client'],
  ['client enable <client-id>', 'client enable none', 'there is no such client'],
  ['client delete <client-id>', 'client delete none --confirm a', 'there is no such client'],
  ['token revoke --client', 'token revoke --client none', 'there is no such client'],
  ['deletions replay <file>', 'deletions replay /none', `/none ${noFile}`],
  ['record verify --user', 'record verify --user 999', 'there is no record of this user, or it is destroyed'],
  ['directory load --rejects', 'directory load /none --rejects /none/r', '/none/r: no such file or directory'],
  ['directory load <file>', 'directory load /none', `/none ${noFile}`],
  ['directory load <file>', 'directory load /', '/ cannot be read: it is a directory'],
  ['directory verify --source', 'directory verify --source none', 'nothing was loaded yet'],
  ['directory remove <source>', 'directory remove none', 'the directory has no source none: nothing was loaded yet'],
  [
    'registration set --client-secret-file',
    'registration set --host a.example --client-id a --auth-method client_secret_basic --client-secret-file /none',
    `/none ${noFile}`,
  ],
  ['registration test <health-system>', 'registration test 999', 'the directory has no such health system'],
  ['registration remove --host', 'registration remove --host a.example', 'there is no such registration'],
  ['registration remove --fhir-base', 'registration remove --fhir-base https://a.example', 'no such registration'],
  ['connection outcomes --health-system', 'connection outcomes --health-system 999', 'no such health system'],
  [
    'connection show <connection-id>',
    'connection show 0f8fad5b-d9cb-469f-a165-70867728950e',
    'there is no such connection',
  ],
  [
    'connection requeue <connection-id>',
    'connection requeue 0f8fad5b-d9cb-469f-a165-70867728950e',
    'there is no such connection',
  ],
  ['consent retained --service-user-id', 'consent retained --service-user-id 999', 'no consents are kept'],
  ['health-system pause <host-or-id>', 'health-system pause 999 --reason a', 'the directory has no such health system'],
  ['health-system resume <host-or-id>', 'health-system resume a.example', 'this host is not paused'],
  [
    'organisation allow-live <id>',
    'organisation allow-live 0f8fad5b-d9cb-469f-a165-70867728950e',
    'there is none with this id',
  ],
  [
    'organisation refuse-live <id>',
    'organisation refuse-live 0f8fad5b-d9cb-469f-a165-70867728950e',
    'there is none with this id',
  ],
  ['account disable <id>', 'account disable 0f8fad5b-d9cb-469f-a165-70867728950e', 'there is none with this id'],
  ['account enable <id>', 'account enable 0f8fad5b-d9cb-469f-a165-70867728950e', 'there is none with this id'],
  [
    'account reset-second-factors <id>',
    'account reset-second-factors 0f8fad5b-d9cb-469f-a165-70867728950e',
    'there is none with this id',
  ],
  [
    'account make-operator --email',
    'account make-operator --email nobody@example.org',
    'there is no account with this address',
  ],
  [
    'account remove-operator --email',
    'account remove-operator --email nobody@example.org',
    'there is no account with this address',
  ],
];
/** What names nothing that must exist, with any value in range: a new thing, a period, a filter of what is recorded. */
const others = [
  // The tests of the verification have an anchor file that does not exist: it needs the schema of the audit log.
  /^audit verify --anchor$/,
  /^audit .* --(from|to|client|user|days|limit)$/,
  /^client (create|set) --(name|mode|redirect-uri|client-id|client-secret|types|consent-days|people|frame-origin|organisation)$/,
  /^client rotate-secret --overlap-hours$/,
  // The name of the client that must exist.
  /^client delete --confirm$/,
  /^client (create|set-jwks) --jwks-url$/,
  // Auth knows only users who have tokens.
  /^token revoke --user$/,
  // Prints that the service has no such version, with an exit status of its own.
  /^keys retire <id>$/,
  /^storage partition <count>$/,
  /^directory load --(source|mode|release)$/,
  /^directory verify --concurrency$/,
  /^registration set --(fhir-base|host|client-id|client-secret|auth-method|scopes|callback)$/,
  /^registration test --release$/,
  /^connection outcomes --days$/,
  /^health-system pause --reason$/,
  /^webhook /,
];

describe('with a database', () => {
  let database: TestDatabase;
  let directory: Server;
  let keyFolder: string;
  let environment: Record<string, string>;
  beforeAll(async () => {
    database = await createDatabase();
    directory = createServer((_request, response) => response.writeHead(404).end('{}')).listen(0, '127.0.0.1');
    await once(directory, 'listening');
    keyFolder = mkdtempSync(join(tmpdir(), 'admin-'));
    writeFileSync(join(keyFolder, 'kek'), randomBytes(32).toString('base64'));
    environment = {
      DATABASE_URL: database.url,
      KEY_ENCRYPTION_KEY_FILE: join(keyFolder, 'kek'),
      BASE_URL: 'http://tributary.test',
      SEARCH_INTERNAL_URL: `http://127.0.0.1:${(directory.address() as AddressInfo).port}`,
      SERVICE_KEY: 'own-key-0123456789abc',
    };
  });
  afterAll(async () => {
    directory.close();
    rmSync(keyFolder, { recursive: true });
    await database.drop();
  });

  it('knows of each value of a command whether it names something that must exist', () => {
    const values = leaves.flatMap(({ path, command }) => [
      ...command.registeredArguments.map((argument) => `${path} <${argument.name()}>`),
      ...command.options.filter(({ required }) => required).map(({ long }) => `${path} ${long!}`),
    ]);
    const named = values.filter((value) => !others.some((pattern) => pattern.test(value)));
    expect(new Set(unknown.map(([value]) => value))).toEqual(new Set(named));
  });

  it.each(unknown)('%s: says in one sentence what does not exist: %s', async (_argument, words, error) => {
    const { services: all } = adminCommands[words.split(' ')[0]!]!;
    const { status, stdout, stderr } = await run(all[0]!, words.split(' '), environment);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
    expect(stderr).toContain(error);
    expect(stderr).not.toMatch(/\bE[A-Z]{4,}\b/);
  });
});

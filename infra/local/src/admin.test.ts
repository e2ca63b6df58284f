import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminCommands, joinedStatus } from './suite/commands';

const launcher = join(__dirname, '../launch.mjs');

/** Runs `npm run admin -- …` as npm does, without a suite on this machine. */
function admin(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const { DATABASE_URL: _, ...environment } = process.env;
  return spawnSync(process.execPath, [launcher, 'local', 'admin', ...words], {
    env: { ...environment, TRIBUTARY_HOME: join(tmpdir(), 'no-suite-here') },
    encoding: 'utf8',
  });
}

describe('npm run admin', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']]])('prints the help and nothing of a build: %j', (words) => {
    const { status, stdout, stderr } = admin(...words);
    expect([status, stderr]).toEqual([0, '']);
    for (const name of Object.keys(adminCommands)) expect(stdout).toMatch(new RegExp(`^  ${name} +[a-z]`, 'm'));
  });

  it.each([
    [['client', 'create', '--help'], 'client create'],
    [['help', 'client', 'create'], 'client create'],
    [['client', 'help', 'create'], 'client create'],
    [['keys', '--help'], 'keys'],
    [['help', 'keys'], 'keys'],
  ])('prints the help of a command once, with what one types: %j', (words, path) => {
    const { status, stdout, stderr } = admin(...words);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.match(/^Usage: .*$/gm)).toEqual([
      expect.stringMatching(`^Usage: npm run admin -- ${path} \\[options\\]`),
    ]);
  });

  it('prints an error in the words of a command of several services once', () => {
    const { status, stdout, stderr } = admin('keys');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr.match(/^error: .*$/gm)).toEqual(['error: name a command: status, rotate, retire']);
  });

  it.each([
    [['clients'], "error: unknown command 'clients'\n(Did you mean client?)"],
    [['help', 'keyz'], "error: unknown command 'keyz'\n(Did you mean keys?)"],
    [['constructor'], "error: unknown command 'constructor'"],
    [['--hlp'], "error: unknown option '--hlp'\n(Did you mean --help?)"],
    [['client', 'list'], expect.stringMatching(/^error: the suite is not running here: .*$/)],
    [['keys', 'status'], expect.stringMatching(/^error: the suite is not running here: .*$/)],
  ])('fails with a sentence: %j', (words, sentence) => {
    const { status, stdout, stderr } = admin(...words);
    expect([status, stdout, stderr.trimEnd()]).toEqual([1, '', sentence]);
  });

  it.each([
    [[0], 0],
    [[2], 2],
    [[0, 0, 0], 0],
    [[2, 0, 2], 0],
    [[2, 2, 2], 1],
    [[0, 1, 0], 1],
    [[2, 1, 0], 1],
  ])('joins the exit statuses of the services of a command: %j', (statuses, joined) => {
    expect(joinedStatus(statuses)).toBe(joined);
  });
});

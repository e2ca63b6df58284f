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
    ['clients', 'there is no such command; npm run admin -- --help lists client, token, directory'],
    ['constructor', 'there is no such command'],
    ['client', 'the suite is not running here'],
  ])('fails with one sentence: %s', (word, sentence) => {
    const { status, stdout, stderr } = admin(word);
    expect([status, stdout, stderr.trimEnd().split('\n')]).toEqual([1, '', [expect.stringContaining(sentence)]]);
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

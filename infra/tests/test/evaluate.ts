import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * The value of an expression that may import the scripts of this project. They are JavaScript that runs before a build,
 * so tests run them unchanged.
 */
export function evaluate(expression: string): unknown {
  const { TEST_SEED: _seed, ...env } = process.env; // As in a run that has no seed of its own.
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', `process.stdout.write(JSON.stringify(${expression}))`],
    { cwd: join(__dirname, '..'), encoding: 'utf8', env },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

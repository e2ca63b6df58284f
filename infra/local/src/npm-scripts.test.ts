import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

it('runs node by exec, so that node itself receives the signals of npm', () => {
  const { scripts } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const name of ['start', 'demo', 'chaos'])
    expect([name, scripts[name]]).toEqual([name, expect.stringMatching(/^exec node /)]);
});

describe('launch.mjs', () => {
  const repository = mkdtempSync(join(tmpdir(), 'tributary-launch-'));
  afterAll(() => rmSync(repository, { recursive: true }));

  it('runs a program that can run itself again, as the demo does to trust the authority of the suite', () => {
    const [local, program] = [join(repository, 'infra', 'local'), join(repository, 'infra', 'project', 'dist')];
    for (const folder of [local, program]) mkdirSync(folder, { recursive: true });
    cpSync(join(__dirname, '../launch.mjs'), join(local, 'launch.mjs'));
    writeFileSync(
      join(local, 'bootstrap.mjs'),
      `export const repository = ${JSON.stringify(repository)}; export const prepare = () => undefined, requireBuild = prepare;`,
    );
    writeFileSync(
      join(program, 'main.js'),
      `const words = process.argv.slice(2).join(' ');
       if (process.env.AGAIN) console.log('again: ' + words);
       else require('node:child_process').spawnSync(process.execPath, process.argv.slice(1), { env: { AGAIN: words }, stdio: 'inherit' });`,
    );
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [join(local, 'launch.mjs'), 'project', 'demo', '--option', 'two words'],
      { encoding: 'utf8' },
    );
    expect([stdout, stderr]).toEqual(['again: demo --option two words\n', '']);
  });
});

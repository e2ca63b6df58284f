import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const kit = JSON.stringify(join(__dirname, '..', '..', 'dist', 'runtime', 'log.js'));
const program = (then: string): string[] => [
  '-e',
  `const log = require(${kit}).createLog('test', 'info'); for (let n = 0; n < 50; n++) log.info({ n }, 'line'); ${then}`,
];
const numbersIn = (text: string): number[] =>
  text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { n: number }).n)
    .filter((n) => n !== undefined);
const all = Array.from({ length: 50 }, (_, n) => n);

// Each test starts a process, which takes long on a busy machine.

describe('buffered log lines', () => {
  it.each([
    ['the end of the process', ''],
    ['an exit', 'process.exit(0)'],
    ['an exception', `throw new Error('x')`],
    ['a fatal line', `log.fatal('over'); process.kill(process.pid, 'SIGKILL')`],
  ])('are written with %s', (_name, then) => {
    expect(numbersIn(spawnSync(process.execPath, program(then), { encoding: 'utf8' }).stdout)).toEqual(all);
  });

  it('are written within the flush interval', async () => {
    const child = spawn(process.execPath, program('setInterval(() => undefined, 1000)'));
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.endsWith('\n') && numbersIn(text).length === all.length) child.kill('SIGKILL');
    });
    await once(child, 'close');
    expect(numbersIn(text)).toEqual(all);
  });

  it('do not keep a process alive when nobody reads them', async () => {
    const onSignal = `process.once('SIGTERM', () => { log.info('over'); process.exit(3); });`;
    // What it says on standard error comes after the handler is there; a signal before that would end it in another
    // way.
    const child = spawn(
      process.execPath,
      program(`${onSignal} setInterval(() => undefined, 1000); process.stderr.write('ready');`),
    );
    await once(child.stderr, 'data');
    child.stdout.destroy();
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([3, null]);
  });
});

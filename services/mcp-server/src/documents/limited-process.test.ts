import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLimited } from './limited-process';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'limited-process-'));
});
afterAll(() => rm(folder, { recursive: true }));

const limits = { processorSeconds: 600, timeMs: 600_000, heapMb: 128, memoryMb: 1100, outputLength: 1000 };
const signal = new AbortController().signal;

async function run(program: string, more: Partial<typeof limits> = {}, ending = signal): Promise<string> {
  const script = join(folder, `${randomUUID()}.cjs`);
  await writeFile(script, program);
  return runLimited(script, ['argument'], Buffer.from('input'), { ...limits, ...more }, ending);
}

it('passes arguments and standard input, and returns standard output', async () => {
  expect(await run(`process.stdin.on('data', (data) => process.stdout.write(data + ' ' + process.argv[2]))`)).toBe(
    'input argument',
  );
});

it('has none of the environment variables of the service', async () => {
  process.env['SECRET_OF_THE_SERVICE'] = 'secret';
  try {
    const names = (await run('process.stdout.write(Object.keys(process.env).join())')).split(',');
    expect(names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_', ''].includes(name))).toEqual([]);
  } finally {
    delete process.env['SECRET_OF_THE_SERVICE'];
  }
});

it.each([
  ['buffers', 'const kept = []; for (let n = 0; n < 128; n++) kept.push(Buffer.alloc(16_000_000));'],
  ['objects', 'const kept = []; for (;;) kept.push({ a: [kept.length] });'],
])('cannot use more memory than the limit for %s', async (_what, program) => {
  await expect(run(`${program} process.stdout.write('done')`)).rejects.toThrow('exceeded a limit');
});

it.each([
  ['processor time', 'for (;;);', { processorSeconds: 1 }],
  ['time', 'setInterval(() => undefined, 1000)', { timeMs: 500 }],
  ['output', `process.stdout.write('x'.repeat(100_000))`, {}],
])('is ended above the limit of %s', async (_what, program, more) => {
  await expect(run(program, more)).rejects.toThrow('exceeded a limit');
});

it('is ended with the signal', async () => {
  const ending = new AbortController();
  const running = run('setInterval(() => undefined, 1000)', {}, ending.signal);
  ending.abort(new Error('the client disconnected'));
  await expect(running).rejects.toThrow('the client disconnected');
});

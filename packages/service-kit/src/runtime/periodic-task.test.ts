import { EventEmitter, once } from 'node:events';
import { type Logger, pino } from 'pino';
import { startPeriodicTask } from './periodic-task';

function logged(): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  return { lines, log: pino({}, { write: (line: string) => lines.push(line) }) };
}

it('repeats a task that fails, and logs the failure', async () => {
  const { log, lines } = logged();
  const runs = new EventEmitter();
  let count = 0;
  const thirdRun = once(runs, '3');
  const task = startPeriodicTask({
    name: 'the test',
    intervalMs: 1,
    log,
    run: () => {
      runs.emit(String(++count));
      return Promise.reject(new Error('no luck'));
    },
  });
  await thirdRun;
  await task.stop();
  expect(lines[0]).toContain('the test failed; the next run tries again');
});

it('runs again without a pause while more work is due', async () => {
  const { log } = logged();
  let left = 5;
  const allDone = new EventEmitter();
  const done = once(allDone, 'done');
  const task = startPeriodicTask({
    name: 'the test',
    intervalMs: 3_600_000,
    runsAtStart: true,
    log,
    run: () => {
      if (--left === 0) allDone.emit('done');
      return Promise.resolve(left > 0);
    },
  });
  await done;
  await task.stop();
  expect(left).toBe(0);
});

it('aborts the run in progress and waits for it when it is stopped', async () => {
  const { log } = logged();
  let ended = false;
  const task = startPeriodicTask({
    name: 'the test',
    intervalMs: 1,
    runsAtStart: true,
    log,
    run: async (signal) => {
      await once(signal, 'abort');
      await new Promise((resolve) => setImmediate(resolve));
      ended = true;
    },
  });
  await task.stop();
  expect(ended).toBe(true);
});

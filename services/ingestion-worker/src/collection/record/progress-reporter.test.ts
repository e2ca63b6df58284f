import { type CollectionReport, HealthSystemPaused } from '@tributary/contracts';
import { emptyProgress } from '../../checkpoints/progress';
import { CollectionStale, ProgressReporter } from './progress-reporter';

const sent = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('ProgressReporter', () => {
  it('reports changes only, one report at a time, at most once per interval', async () => {
    const reports: CollectionReport[] = [];
    const types = [emptyProgress('Observation', 'full')];
    let everyMs = 0;
    const reporter = new ProgressReporter(
      () => structuredClone(types),
      (report) => Promise.resolve(reports.push(report) > 0),
      everyMs,
    );
    reporter.reportIfDue();
    reporter.reportIfDue();
    await sent();
    reporter.reportIfDue();
    await sent();
    expect(reports).toHaveLength(1);
    types[0]!.fetched = 7;
    reporter.reportIfDue();
    await sent();
    expect(reports.map((report) => report.types[0]?.fetched)).toEqual([0, 7]);
    everyMs = 60_000;
    const rare = new ProgressReporter(
      () => structuredClone(types),
      (report) => Promise.resolve(reports.push(report) > 0),
      everyMs,
    );
    rare.reportIfDue();
    await sent();
    types[0]!.fetched = 8;
    rare.reportIfDue();
    await sent();
    expect(reports.map((report) => report.types[0]?.fetched)).toEqual([0, 7, 7]);
    await rare.finish({
      state: 'failed',
      failure: 'transient',
      error: { code: 'health_system_unavailable', message: 'away' },
    });
    expect(reports.at(-1)).toEqual({
      state: 'failed',
      failure: 'transient',
      error: { code: 'health_system_unavailable', message: 'away' },
      types: [{ ...emptyProgress('Observation', 'full'), fetched: 8 }],
    });
  });

  it('sends a failed report again, and detects a stale collection', async () => {
    let answers: (boolean | Error)[] = [new Error('away'), true, false];
    let calls = 0;
    const send = (): Promise<boolean> => {
      const [answer, ...rest] = answers;
      answers = rest;
      calls++;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer ?? false);
    };
    const reporter = new ProgressReporter(() => [emptyProgress('Patient', 'full')], send, 0);
    for (const expected of [1, 2, 2]) {
      reporter.reportIfDue();
      await sent();
      expect(calls).toBe(expected);
    }
    await expect(reporter.finish({ state: 'completed' })).rejects.toThrow(CollectionStale);
  });

  it.each([
    ['is stale', false, CollectionStale],
    ['is paused', new HealthSystemPaused(), HealthSystemPaused],
  ])('stops a collection that %s', async (_reason, answer, stop) => {
    const send = (): Promise<boolean> => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer));
    const reporter = new ProgressReporter(() => [emptyProgress('Patient', 'full')], send, 0);
    reporter.reportIfDue();
    await sent();
    expect(() => reporter.reportIfDue()).toThrow(stop);
  });
});

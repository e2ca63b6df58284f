import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evaluate } from '../test/evaluate';

const search = 'services/search/src/a.test.ts';
const good = {
  file: 'services/auth/src/b.test.ts',
  project: 'services/auth',
  seconds: 31.4,
  passed: 80,
  failed: 0,
  skipped: 1,
  failedTests: [],
  message: '',
};
const bad = { ...good, file: search, project: 'services/search', seconds: 2, passed: 3, failed: 1, skipped: 0 };
const ofBad = { failedTests: ['it finds'], message: 'expected 1, got 2' };

function render(run: object): string[] {
  const whole = { outcomes: [], unstable: [], broken: [], parts: [], seconds: 61.2, cpuSeconds: 90.4, ...run };
  return (
    evaluate(`(await import('./summary.mjs')).renderSummary(${JSON.stringify(whole)}, { runBudget: 60 })`) as string
  ).split('\n');
}

describe('the summary', () => {
  it('has the projects, the slowest files, the time and the totals', () => {
    expect(render({ outcomes: [good], seconds: 50 })).toEqual([
      '',
      'project        passed  failed  skipped  seconds',
      '─────────────  ──────  ──────  ───────  ───────',
      'services/auth      80                1       31',
      '',
      'The slowest files:',
      '    31.4 s  services/auth/src/b.test.ts',
      '',
      'OVER BUDGET: services/auth/src/b.test.ts took 31 s of 15 s',
      'wall time: 50 s, 90 s of processor time',
      'tests: 80 passed, 0 failed, 1 skipped',
      '',
    ]);
  });

  it('reports a run that took too long', () => {
    expect(render({})).toContain('OVER BUDGET: the run took 61 s of 60 s');
  });

  it('lists the tests that failed and the command that runs just their files', () => {
    expect(render({ outcomes: [good, { ...bad, ...ofBad }] })).toEqual(
      expect.arrayContaining([
        'expected 1, got 2',
        `  ${search}: it finds`,
        `  npm test -- ${search}`,
        'tests: 83 passed, 1 failed, 1 skipped',
      ]),
    );
  });

  it('prints what both runs of an unstable file said, and names it at the end', () => {
    const lines = render({ outcomes: [good], unstable: [{ file: search, first: 'too late', second: 'PASS' }] });
    expect(lines.slice(1, 6)).toEqual([`UNSTABLE ${search}`, 'failed first:', 'too late', 'passed alone:', 'PASS']);
    expect(lines).toContain(`UNSTABLE: ${search} failed, and passed alone. Mend it.`);
  });

  it('shows the end of the log of a part that failed without a failed test', () => {
    const folder = mkdtempSync(join(tmpdir(), 'summary-'));
    const log = join(folder, 'log');
    writeFileSync(log, 'first\nlast\n');
    const lines = render({ broken: [{ title: 'checking types', log }] });
    rmSync(folder, { recursive: true });
    expect(lines).toEqual(expect.arrayContaining(['last', `Failed: checking types. Its log: ${log}`]));
  });
});

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

interface Summary {
  project: string;
  passed: number;
  failed: number;
  skipped: number;
  seconds: number;
  failures: { file: string; tests: string[]; message: string }[];
}

/** The module is plain JavaScript that runs before a build, so the test runs it unchanged. */
function render(summaries: Summary[], brokenParts: { title: string; path: string }[]): string[] {
  const script = `
    const { renderSummary } = await import(${JSON.stringify(join(__dirname, '..', 'test-summary.mjs'))});
    process.stdout.write(renderSummary(${JSON.stringify(summaries)}, ${JSON.stringify(brokenParts)}, () => 'first\\nlast'));`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout.split('\n');
}

const good: Summary = { project: '@tributary/auth', passed: 80, failed: 0, skipped: 1, seconds: 31.4, failures: [] };
const bad: Summary = {
  project: '@tributary/search',
  passed: 3,
  failed: 1,
  skipped: 0,
  seconds: 2,
  failures: [{ file: 'services/search/src/a.test.ts', tests: ['it finds'], message: 'expected 1, got 2' }],
};

describe('the summary of npm test', () => {
  it('is one table and the totals', () => {
    expect(render([good], [])).toEqual([
      '',
      'project          passed  failed  skipped  seconds',
      '───────────────  ──────  ──────  ───────  ───────',
      '@tributary/auth      80                1       31',
      '',
      'tests: 80 passed, 0 failed, 1 skipped',
      '',
    ]);
  });

  it('lists the tests that failed and the command that runs just their files', () => {
    const lines = render([good, bad], [{ title: 'running', path: '/x.log' }]);
    expect(lines).toEqual(
      expect.arrayContaining([
        'expected 1, got 2',
        '  services/search/src/a.test.ts: it finds',
        '  npm test -- services/search/src/a.test.ts',
        'tests: 83 passed, 1 failed, 1 skipped',
      ]),
    );
  });

  it('shows the end of the log of a part that failed without a failed test', () => {
    expect(render([good], [{ title: 'checking types', path: '/x.log' }])).toEqual(
      expect.arrayContaining(['last', 'Failed: checking types. Its log: /x.log']),
    );
  });
});

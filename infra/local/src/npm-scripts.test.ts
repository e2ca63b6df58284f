import { readFileSync } from 'node:fs';
import { join } from 'node:path';

it('runs node by exec, so that node itself receives the signals of npm', () => {
  const { scripts } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const name of ['start', 'demo', 'chaos'])
    expect([name, scripts[name]]).toEqual([name, expect.stringMatching(/^exec node /)]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

it('lets npm hand its signals on: a shell in between would keep them, and leave the suite running', () => {
  const { scripts } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const name of ['start', 'demo', 'chaos'])
    expect([name, scripts[name]]).toEqual([name, expect.stringMatching(/^exec node /)]);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SuiteProcess } from './child-process';

describe('a process of the suite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'suite-process-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('that ends before it is ready is not started again: its log says why', async () => {
    const script = join(folder, 'fails.js');
    writeFileSync(script, `console.error('the records cannot be read'); process.exit(3);`);
    const warnings: string[] = [];
    const readyUrl = 'http://127.0.0.1:9/readyz';
    const definition = { name: 'broken', script, readyUrl, authority: undefined, environment: {} };
    let starts = 0;
    const broken = new SuiteProcess(
      definition,
      folder,
      (message) => warnings.push(message),
      () => starts++,
    );
    broken.start();
    await expect(broken.untilReady()).rejects.toThrow(
      /^broken could not start \(code 3\)[^]*the records cannot be read$/,
    );
    expect([starts, warnings]).toEqual([1, []]);
  });
});

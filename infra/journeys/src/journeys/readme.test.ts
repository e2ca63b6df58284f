import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readySuite } from '../suite/ready';

const ready = readySuite();
const repository = join(__dirname, '..', '..', '..', '..');
const readme = readFileSync(join(repository, 'README.md'), 'utf8');

/** The shell blocks of the README that follow the HTML comment `mark`. */
function blocksOf(mark: string): string[] {
  return [...readme.matchAll(new RegExp(`<!-- ${mark} -->\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    (match) => match[1] ?? '',
  );
}

/**
 * Makes a failed script report its failed line, and curl its error. FORCE_COLOR is set because some terminals and CI
 * systems set it.
 */
const carefully = [
  'set -eEu -o pipefail',
  `trap 'echo "failed: $BASH_COMMAND" >&2' ERR`,
  'curl() { command curl -S "$@"; }',
  'export FORCE_COLOR=1',
];

/** Joins shell blocks to a script and replaces the default addresses of the README by those of this suite. */
function scriptOf(blocks: string[]): string {
  const sandbox = new URL(ready.base_url);
  sandbox.port = String(Number(sandbox.port) + 4);
  const addresses: [string, string][] = [
    ['http://localhost:4000', ready.base_url],
    ['http://localhost:4001', ready.auth_url],
    ['http://localhost:4002', ready.search_url],
    ['http://localhost:4003', ready.analytics_url],
    ['http://localhost:4004', sandbox.origin],
  ];
  return addresses.reduce(
    (text, [standard, here]) => text.replaceAll(standard, here),
    [...carefully, ...blocks].join('\n'),
  );
}

describe('the README', () => {
  it('has a journey whose commands work unchanged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'readme-'));
    const admin = process.env['JOURNEY_ADMIN'] ?? `node ${join(repository, 'infra', 'local', 'dist', 'main.js')} admin`;
    const script = scriptOf(blocksOf('journey')).replaceAll('npm run --silent admin --', admin);
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      cwd: folder,
      env: { ...process.env, TRIBUTARY_HOME: process.env['JOURNEY_HOME'] },
      timeout: 180_000,
    });
    rmSync(folder, { recursive: true, force: true });
    const lines = stdout.trim().split('\n');
    expect(lines[0]).toContain('success=true');
    expect(lines.slice(1).filter((line) => / active /.test(line)).length).toBeGreaterThan(0);
    expect(stdout).toContain('1990-07-04T00:00:00.000Z');
    expect(lines.at(-1)).toBe('7200');
  });

  // A suite in containers cannot send requests to a receiver on this machine.
  (process.env['JOURNEY_ADMIN'] ? it.skip : it)('has webhook commands that work unchanged', async () => {
    const port = 20_000 + (process.pid % 10_000);
    const admin = `node ${join(repository, 'infra', 'local', 'dist', 'main.js')} admin`;
    const blocks = [...blocksOf('journey').slice(0, 2), ...blocksOf('webhooks'), 'kill %1'];
    const script = scriptOf(blocks)
      .replaceAll('npm run --silent admin --', admin)
      .replaceAll('listen(9000)', `listen(${port})`)
      .replaceAll('localhost:9000', `localhost:${port}`)
      .replace(' &\n', ' &\nsleep 1\n');
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      env: { ...process.env, TRIBUTARY_HOME: process.env['JOURNEY_HOME'] },
      timeout: 60_000,
    });
    expect(stdout).toContain('"type":"webhook.test"');
    expect(stdout).toContain('"delivered":true');
    expect(stdout).toContain('"status":"enabled"');
  });

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    for (const [, name] of readme.matchAll(/npm run (?:--silent )?([\w:]+)/g))
      expect(Object.keys(scripts)).toContain(name);
  });

  it("lists operator's commands that work", async () => {
    const block = /## The operator's commands\n\n```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const admin = process.env['JOURNEY_ADMIN'] ?? `node ${join(repository, 'infra', 'local', 'dist', 'main.js')} admin`;
    const { stdout } = await promisify(execFile)(
      'bash',
      [
        '-c',
        `set -eu\n${block.replaceAll(/npm run (?:--silent )?admin --/g, admin).replaceAll('services/search/', process.env['JOURNEY_ADMIN'] ? '' : 'services/search/')}`,
      ],
      { cwd: repository, env: { ...process.env, TRIBUTARY_HOME: process.env['JOURNEY_HOME'] } },
    );
    expect(stdout).toContain('My app');
    expect(stdout).toContain('fhir.example.org');
  });
});

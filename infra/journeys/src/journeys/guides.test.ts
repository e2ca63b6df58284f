import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readySuite } from '../suite/ready';

const ready = readySuite();
const repository = join(__dirname, '..', '..', '..', '..');
const pages = join(repository, 'services', 'documentation', 'pages');
const endOfBlock = '--- end of block ---';

interface Command {
  script: string;
  /** What it writes, where the page shows it; `…` stands for any text. */
  output: string | undefined;
}

/** The blocks of a page that follow `<!-- journey -->`, each with the block that follows `<!-- output -->`. */
function commandsOf(page: string): Command[] {
  const text = readFileSync(join(pages, `${page}.md`), 'utf8');
  const block = /<!-- journey -->\n```sh\n([\s\S]*?)```(?:\n\n<!-- output -->\n```\w*\n([\s\S]*?)```)?/g;
  return [...text.matchAll(block)].map(([, script = '', output]) => ({ script, output }));
}

/** Replaces the default addresses by those of this suite. */
function withAddresses(text: string): string {
  const sandbox = new URL(ready.base_url);
  sandbox.port = String(Number(sandbox.port) + 4);
  return text
    .replaceAll('http://localhost:4000', ready.base_url)
    .replaceAll('http://localhost:4001', ready.auth_url)
    .replaceAll('http://localhost:4002', ready.search_url)
    .replaceAll('http://localhost:4003', ready.analytics_url)
    .replaceAll('http://localhost:4004', sandbox.origin);
}

/** Runs the commands in one shell. @returns what each of them has written */
async function run(commands: readonly Command[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'guides-'));
  try {
    const script = commands.map((command) => `${command.script}\necho '${endOfBlock}'`).join('\n');
    const { stdout } = await promisify(execFile)(
      'bash',
      [
        '-c',
        `set -eEu -o pipefail\ntrap 'echo "failed: $BASH_COMMAND" >&2' ERR\ncurl() { command curl -S "$@"; }\n${withAddresses(script)}`,
      ],
      {
        cwd: folder,
        env: { ...process.env, CLIENT_ID: ready.client.client_id, CLIENT_SECRET: ready.client.client_secret },
        timeout: 280_000,
      },
    );
    return stdout.split(`${endOfBlock}\n`).slice(0, -1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function patternOf(output: string): RegExp {
  const parts = output
    .trim()
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('[^]*')}$`);
}

it('every command of the guides works, and writes what its page shows', async () => {
  const commands = ['quick-start', 'connecting', 'fhir-search', 'export', 'audit-events', 'sandbox', 'mcp'].flatMap(
    commandsOf,
  );
  expect(commands.length).toBeGreaterThan(15);
  const written = await run(commands);
  for (const [index, { script, output }] of commands.entries()) {
    expect({ script, written: written[index]?.trim() }).toEqual({
      script,
      written: output === undefined ? expect.any(String) : expect.stringMatching(patternOf(output)),
    });
    expect(written[index]).not.toMatch(/\bundefined\b/);
  }
});

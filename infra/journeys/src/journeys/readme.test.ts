import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { addressVariables, readySuite } from '../suite/ready';
import { newClient } from '../suite/users';

const ready = readySuite();
const repository = join(__dirname, '..', '..', '..', '..');
const readme = readFileSync(join(repository, 'README.md'), 'utf8');
const webhooks = readFileSync(join(repository, 'services', 'documentation', 'pages', 'webhooks.md'), 'utf8');

/** The code blocks that follow the HTML comment `mark`. */
function blocksOf(markdown: string, mark: string, language = 'sh'): string[] {
  return [...markdown.matchAll(new RegExp(`<!-- ${mark} -->\\n\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    (match) => match[1] ?? '',
  );
}

const separator = '\u001e';

/** What the commands of the journey print that print something, in their order. */
const prints: [begin: string, output: RegExp][] = [
  ['curl -sL -c cookies.txt', /^\S*[?&]success=true\S*$/],
  ["json '.entry.map(", /^r4 active [1-9]\d*$/],
  ['/r4/Patient"', /^\d{4}-\d\d-\d\d$/],
  ['/r4/Observation?', /^[1-3]$/],
  ['| wc -l', /^[1-9]\d*$/],
];

/** Whether a command prints nothing: an assignment, a function, a loop, or one whose output goes to a file. */
function isSilent(command: string): boolean {
  return /^[A-Z_]+=|^json\(\)|^until |> \S+\.json$/.test(command);
}

/** A folder from which the packages of the repository can be imported. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  return folder;
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

/** Replaces the default addresses of the README by those of this suite. */
function atThisSuite(text: string): string {
  const sandbox = new URL(ready.base_url);
  sandbox.port = String(Number(sandbox.port) + 4);
  const addresses: [string, string][] = [
    ['http://localhost:4000', ready.base_url],
    ['http://localhost:4001', ready.auth_url],
    ['http://localhost:4002', ready.search_url],
    ['http://localhost:4003', ready.analytics_url],
    ['http://localhost:4004', sandbox.origin],
  ];
  return addresses.reduce((changed, [standard, here]) => changed.replaceAll(standard, here), text);
}

describe('the README', () => {
  it('has a journey in which every command prints what it is meant to', async () => {
    const folder = newFolder();
    const admin = process.env['JOURNEY_ADMIN'] ?? `node ${join(repository, 'infra', 'local', 'dist', 'main.js')} admin`;
    const commands = blocksOf(readme, 'journey')
      .flatMap((block) => block.split('\n'))
      .filter((line) => line !== '');
    const script = commands
      .map((command) => atThisSuite(command).replaceAll('npm run --silent admin --', admin))
      .map((command) => command.replace('sleep 1', 'sleep 0.1'))
      .join(`\nprintf '${separator}'\n`);
    const { stdout } = await promisify(execFile)('bash', ['-c', [...carefully, script].join('\n')], {
      cwd: folder,
      env: { ...process.env, TRIBUTARY_HOME: process.env['JOURNEY_HOME'] },
      timeout: 240_000,
    });
    rmSync(folder, { recursive: true, force: true });
    const outputs = stdout.split(separator);
    expect(outputs).toHaveLength(commands.length);
    const expected = [...prints];
    for (const [index, command] of commands.entries()) {
      const [begin, output] = isSilent(command) ? [command, /^$/] : (expected.shift() ?? ['no more commands', /^$/]);
      expect(command).toContain(begin);
      expect({ command, printed: outputs[index]!.trim() }).toEqual({ command, printed: expect.stringMatching(output) });
    }
    expect(expected).toEqual([]);
  });

  it('of the client package has examples that work', async () => {
    const folder = newFolder();
    const examples = blocksOf(readFileSync(join(repository, 'packages', 'sdk', 'README.md'), 'utf8'), 'example', 'js');
    const client = await newClient(ready, 'sdk readme');
    const signsIn = JSON.stringify({ prompt: 'none', login_hint: ready.sandbox.patients[0]!.username });
    const secret = `whsec_${Buffer.from('a secret of the test').toString('base64')}`;
    const [imports = '', ...rest] = examples;
    const program = [
      imports,
      `import { createHmac } from 'node:crypto';`,
      ...rest.map((example) =>
        example.includes('createLink(')
          ? `${example.replace('state })', `state, parameters: ${signsIn} })`)}\nconst redirected = await visit(url);`
          : example,
      ),
      `async function visit(url) {
         const cookies = new Map();
         for (let [here, body] = [url]; ; ) {
           const Cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
           const response = await fetch(here, { method: body ? 'POST' : 'GET', body, redirect: 'manual', headers: { Cookie } });
           for (const cookie of response.headers.getSetCookie()) cookies.set(...cookie.split(';')[0].split(/=(.*)/s));
           body = response.status === 200 ? new URLSearchParams({ answer: 'yes' }) : undefined;
           if (body) continue;
           here = new URL(response.headers.get('location'), here).href;
           if (here.startsWith('${ready.client.redirect_uri}')) return here;
         }
       }`,
      `const body = JSON.stringify({ type: 'collection.completed', data: { service_user_id, complete: true } });
       const timestamp = String(Math.floor(Date.now() / 1000));
       const hmac = createHmac('sha256', 'a secret of the test').update('msg_1.' + timestamp + '.' + body).digest('base64');
       const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': 'v1,' + hmac };
       const answer = await onWebhook(new Request('http://localhost/', { method: 'POST', headers, body }));
       console.log('webhook', answer.status, 'heights', total, 'changed', changed.gender, result.success);`,
    ].join('\n');
    writeFileSync(join(folder, 'examples.mjs'), program);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'examples.mjs')], {
      env: {
        ...process.env,
        ...addressVariables(ready),
        CLIENT_ID: client.client_id,
        CLIENT_SECRET: client.client_secret,
        WEBHOOK_SECRET: secret,
        // Colours of the terminal would stand in the output.
        FORCE_COLOR: '0',
      },
      timeout: 240_000,
    });
    rmSync(folder, { recursive: true, force: true });
    for (const line of [
      /^ida-\S+ true$/m,
      new RegExp(`^${ready.sandbox.health_system_id} \\S`, 'm'),
      /types' \]$/m,
      /^active complete$/m,
      /^r4 Condition \S+$/m,
      /^r4 Observation \S+$/m,
      /^404 user_not_found \S+$/m,
      /^\d+ true$/m,
      /^webhook 204 heights \d+ changed female true$/m,
    ])
      expect(stdout).toMatch(line);
    expect(stdout).not.toContain('undefined');
  });

  // A suite in containers cannot send requests to a receiver on this machine.
  (process.env['JOURNEY_ADMIN'] ? it.skip : it)('and the guide to webhooks has commands that work', async () => {
    const admin = `node ${join(repository, 'infra', 'local', 'dist', 'main.js')} admin`;
    const blocks = [...blocksOf(readme, 'journey').slice(0, 2), ...blocksOf(webhooks, 'webhooks'), 'kill %1'];
    const script = atThisSuite([...carefully, ...blocks].join('\n'))
      .replaceAll('npm run --silent admin --', admin)
      .replace('listen(9000)', `listen(0, function () { require('fs').writeFileSync('port', ''+this.address().port) })`)
      .replace(' &\n', ' &\nuntil [ -s port ]; do sleep 0.05; done\n')
      .replaceAll('localhost:9000', 'localhost:$(cat port)');
    const folder = newFolder();
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      cwd: folder,
      env: { ...process.env, TRIBUTARY_HOME: process.env['JOURNEY_HOME'] },
      timeout: 240_000,
    });
    rmSync(folder, { recursive: true, force: true });
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
});

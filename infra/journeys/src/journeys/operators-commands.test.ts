import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const repository = join(__dirname, '..', '..', '..', '..');
const page = readFileSync(join(repository, 'infra', 'docs', 'operations', 'commands.md'), 'utf8');

it("the page of the operator's commands lists commands that work", async () => {
  const [, block = ''] = /\n\n```sh\n([\s\S]*?)```/.exec(page) ?? [];
  const inContainers = process.env['JOURNEY_ADMIN'];
  const admin = inContainers ?? `node ${join(repository, 'infra', 'local', 'dist', 'main.js')} admin`;
  const commands = block.replaceAll(/npm run (?:--silent )?admin --/g, admin);
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-c', `set -eu\n${inContainers ? commands.replaceAll('services/search/', '') : commands}`],
    { cwd: repository, env: { ...process.env, TRIBUTARY_HOME: process.env['JOURNEY_HOME'] } },
  );
  expect(stdout).toContain('My app');
  expect(stdout).toContain('fhir.example.org');
});

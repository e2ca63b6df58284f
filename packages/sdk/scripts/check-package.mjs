// Checks the built package as npm would publish it: its entry points and types, its size, and that it needs nothing of
// Node.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** The largest sizes of minified and gzipped bundles in bytes, with what an application imports. */
const bundles = [
  { imports: 'everything', code: "export * from '@tributary/sdk';", limit: 10_240 },
  { imports: 'TributaryUser', code: "export { TributaryUser } from '@tributary/sdk';", limit: 6_656 },
  { imports: 'verifyWebhook', code: "export { verifyWebhook } from '@tributary/sdk';", limit: 1_024 },
];

const packageFolder = join(import.meta.dirname, '..');
const problems = [
  ...(await publishingProblems()),
  ...(await typeProblems()),
  ...declarationProblems(),
  ...(await bundleProblems()),
];
for (const problem of problems) process.stderr.write(`error: ${problem}\n`);
process.exit(problems.length === 0 ? 0 : 1);

async function publishingProblems() {
  const { messages, pkg } = await publint({ pkgDir: packageFolder, strict: true, pack: false });
  return messages.map((message) => `publint: ${formatMessage(message, pkg)}`);
}

async function typeProblems() {
  const folder = mkdtempSync(join(tmpdir(), 'sdk-'));
  try {
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: packageFolder });
    const [tarballName] = readdirSync(folder);
    const tarball = readFileSync(join(folder, tarballName));
    const { problems: found } = await checkPackage(createPackageFromTarballData(tarball));
    return found.map((problem) => `arethetypeswrong: ${JSON.stringify(problem)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The declarations compile with the types of Node alone, and with those of browsers alone. */
function declarationProblems() {
  const folder = mkdtempSync(join(packageFolder, 'dist', 'consumer-'));
  try {
    writeFileSync(
      join(folder, 'consumer.ts'),
      "import * as sdk from '@tributary/sdk';\nexport const { TributaryUser } = sdk;\n",
    );
    return [
      ['--types', 'node', '--lib', 'es2022'],
      ['--types', '', '--lib', 'es2022,dom,dom.iterable'],
    ].flatMap((libraries) => {
      const words = [
        '--noEmit',
        '--strict',
        '--module',
        'node20',
        '--ignoreConfig',
        ...libraries,
        join(folder, 'consumer.ts'),
      ];
      const { status, stdout } = spawnSync(join(packageFolder, '..', '..', 'node_modules', '.bin', 'tsc'), words, {
        encoding: 'utf8',
      });
      return status === 0 ? [] : [`the declarations do not compile with ${libraries.join(' ')}:\n${stdout}`];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A bundle for browsers fails to build when a module of Node is imported. */
async function bundleProblems() {
  const found = [];
  for (const { imports, code, limit } of bundles) {
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: packageFolder },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      logLevel: 'silent',
    });
    const size = gzipSync(outputFiles[0].contents, { level: 9 }).length;
    process.stdout.write(`${imports}: ${size} bytes, minified and gzipped\n`);
    if (size > limit) found.push(`the bundle of ${imports} has ${size} bytes, more than ${limit}`);
  }
  return found;
}

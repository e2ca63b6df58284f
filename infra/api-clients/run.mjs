// Generates clients of all OpenAPI documents of a running suite, compiles them with a program under `strict`, and runs
// the program: node infra/api-clients/run.mjs openapi-typescript|hey-api
// It reads BASE_URL, AUTH_URL, SEARCH_URL, ANALYTICS_URL, CLIENT_ID and CLIENT_SECRET.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const { BASE_URL, AUTH_URL, SEARCH_URL, ANALYTICS_URL } = process.env;
const bases = {
  users: BASE_URL,
  tokens: AUTH_URL,
  search: SEARCH_URL,
  exports: ANALYTICS_URL,
  fhir: `${BASE_URL}/fhir-store`,
};

/** How each generator makes a client of a document in a folder, or in a file with this name. */
const generators = {
  'openapi-typescript': (document, target) =>
    run([program('openapi-typescript'), document, '-o', `${target}.ts`, '--root-types']),
  'hey-api': (document, target) =>
    run(
      [
        program('@hey-api/openapi-ts', 'openapi-ts'),
        ['-i', document, '-o', target],
        ['-p', '@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
      ].flat(),
    ),
};

const [, , tool] = process.argv;
const generate = generators[tool];
if (!generate) throw new Error(`the tool must be one of ${Object.keys(generators).join(', ')}`);

mkdirSync(join(here, 'dist'), { recursive: true });
const folder = mkdtempSync(join(here, 'dist', `${tool}-`));
try {
  for (const [name, base] of Object.entries(bases)) {
    const response = await fetch(`${base}/openapi.json`);
    if (!response.ok) throw new Error(`${base}/openapi.json: ${response.status}`);
    const document = join(folder, `${name}.json`);
    writeFileSync(document, await response.text());
    generate(document, join(folder, 'clients', name));
  }
  copyFileSync(join(here, 'programs', `${tool}.ts`), join(folder, 'program.ts'));
  const compilerOptions = {
    strict: true,
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    outDir: 'built',
    rootDir: '.',
    skipLibCheck: false,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['program.ts', 'clients'] }));
  run([join(here, '..', '..', 'node_modules', '.bin', 'tsc'), '-p', folder]);
  process.stdout.write(run([join(folder, 'built', 'program.js')]));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The path of a program of a package. */
function program(name, command = name) {
  const manifest = require.resolve.paths(name).map((modules) => join(modules, name, 'package.json'));
  const found = manifest.find((path) => existsSync(path));
  const { bin } = require(found);
  return join(dirname(found), typeof bin === 'string' ? bin : bin[command]);
}

/** Runs a program of Node and returns what it prints. What a program that fails has printed is in the error. */
function run(words) {
  try {
    return execFileSync(process.execPath, words, { cwd: here, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    throw new Error(`${words.join(' ')}: ${error.stdout}${error.stderr}`, { cause: error });
  }
}

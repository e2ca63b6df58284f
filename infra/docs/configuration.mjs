// Writes configuration.md from the schemas that the services validate their environment with; --check compares instead.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const folder = fileURLToPath(new URL('.', import.meta.url));
const services = join(folder, '..', '..', 'services');
const target = join(folder, 'configuration.md');
const { defaultPolicies } = require('@tributary/service-kit');

/**
 * The variables of each service: name -> { meaning, fallback }. The sandbox, which has no internal port, is not a part
 * of a deployment.
 */
function readServices() {
  const found = new Map();
  for (const service of readdirSync(services).sort()) {
    const path = join(services, service, 'dist', 'config.js');
    if (!existsSync(path)) continue;
    const schemas = Object.values(require(path)).filter((value) => value?.shape?.INTERNAL_PORT);
    if (schemas.length === 0) continue;
    if (schemas.length > 1) throw new Error(`${service} exports ${schemas.length} schemas with an INTERNAL_PORT`);
    found.set(service, readVariables(schemas[0].shape));
  }
  return found;
}

function readVariables(shape) {
  return new Map(
    Object.entries(shape).map(([name, field]) => {
      if (!field.description) throw new Error(`${name} has no description`);
      return [name, { meaning: field.description, fallback: readFallback(field) }];
    }),
  );
}

/** The default as it stands in the environment; `required` and `optional` where there is none. */
function readFallback(field) {
  // What a variable is transformed to does not look as it does in the environment.
  const absent = (field.def.type === 'pipe' ? field.def.in : field).safeParse(undefined);
  if (!absent.success) return 'required';
  if (absent.data === undefined) return 'optional';
  if (Array.isArray(absent.data)) return `\`${absent.data.join(',')}\``;
  return absent.data === '' ? 'empty' : `\`${absent.data}\``;
}

const table = (rows) =>
  [
    '| Variable | Default | Meaning |',
    '|---|---|---|',
    ...rows.map(([name, { meaning, fallback }]) => `| \`${name}\` | ${fallback} | ${meaning.replaceAll('|', '\\|')} |`),
  ].join('\n');

const limits = () =>
  [
    '| Limit | Default | Counts |',
    '|---|---|---|',
    ...Object.entries(defaultPolicies).map(
      ([name, { policy, counts }]) => `| \`${name}\` | ${policy.quota} in ${policy.windowSeconds} s | ${counts} |`,
    ),
  ].join('\n');

/** Variables that each of these services has, with the same default and meaning. */
function sharedVariables(services) {
  const [first, ...others] = services;
  return new Map(
    [...first].filter(([name, { meaning, fallback }]) =>
      others.every((each) => each.get(name)?.meaning === meaning && each.get(name)?.fallback === fallback),
    ),
  );
}

function render(variables) {
  const all = [...variables.values()];
  const shared = sharedVariables(all);
  const ofDatabases = sharedVariables(all.filter((own) => own.has('DATABASE_URL')));
  for (const name of shared.keys()) ofDatabases.delete(name);
  const sections = [...variables].map(
    ([service, own]) =>
      `## ${service}\n\n${table([...own].filter(([name]) => !shared.has(name) && !(own.has('DATABASE_URL') && ofDatabases.has(name))))}`,
  );
  return `# Configuration reference

A service reads its configuration from environment variables and validates it when it starts. A variable that is missing or not valid
ends the process with a message that names it. \`NAME_FILE\` gives the path of a file that holds the value of \`NAME\`; use it for secrets.

\`node infra/docs/configuration.mjs\` generates this page from the schemas in \`services/*/src/config.ts\`, and \`npm run lint\` compares both.

## All services

${table([...shared])}

## All services with a database

${table([...ofDatabases])}

${sections.join('\n\n')}

## Rate limits

\`RATE_LIMITS\` changes these limits. A service ignores those of the others, so all of them can have the same value. [api.md](api.md#limits-of-calls) explains how calls are counted.

${limits()}
`;
}

const text = render(readServices());
if (process.argv.includes('--check')) {
  if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    process.stderr.write('infra/docs/configuration.md is not up to date: run node infra/docs/configuration.mjs\n');
    process.exit(1);
  }
} else {
  writeFileSync(target, text);
}

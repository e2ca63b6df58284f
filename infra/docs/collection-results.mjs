// Writes collection-results.md from the codes in packages/contracts; --check compares instead.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const folder = fileURLToPath(new URL('.', import.meta.url));
const contracts = require(join(folder, '..', '..', 'packages', 'contracts', 'dist'));
const target = join(folder, 'collection-results.md');

const table = (heads, rows) =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const meanings = (codes) =>
  table(
    ['Code', 'Meaning'],
    Object.entries(codes).map(([code, { meaning }]) => [`\`${code}\``, meaning]),
  );

const text = `# Results of collections

The codes in connections (\`GET /connect/v1/connections\`), in their webhooks and in the reports of the ingestion worker.

\`node infra/docs/collection-results.mjs\` generates this page from \`packages/contracts/src/connections/collection-result.ts\`, and \`npm run lint\` compares both.

## Connections

- \`complete\` says whether the last collection that ended read everything that the health system offers: every type has the outcome \`complete\` or \`not_offered\`. It stays as it is while the connection is
  collected again, and so do the \`warnings\`. During the first collection \`complete\` is \`false\`.
- \`active\` with \`complete: false\` means that something was refused or could not be read. The next scheduled collection tries again.
- A later collection may read only what has changed. A warning by which something is missing stays until its type is read in full again.
- Lists of connections and events have at most 50 warnings of a connection, those by which something is missing first; \`warnings_omitted\` counts the others. \`GET /connect/v1/connections/{connection_id}\`
  has all of them in \`results\`.
- \`progress.collected\` counts the resources in the record that the connection has collected, over all of its collections. When a process is killed between storing a page and saving its checkpoint, the
  count misses the new resources of that page.
- \`error\` is present in \`failed\` and \`needs_reauthorization\`, and in \`collecting\` while the collection waits until \`retry_at\`.
- Without a refresh token (\`refreshable: false\`) the connection works until \`access_expires_at\`. Then it needs reauthorization.

## Outcomes of a resource type

${meanings(contracts.typeOutcomes)}

## Warnings

The outcome of a type follows from its warnings: \`failed\` before \`refused\` before \`partial\` before \`not_offered\`, and \`complete\` without any of them.

${table(
  ['Code', 'Outcome', 'Meaning'],
  Object.entries(contracts.warningCodes).map(([code, { outcome, meaning }]) => [
    `\`${code}\``,
    outcome ? `\`${outcome}\`` : '',
    meaning,
  ]),
)}

## Errors of a connection

${meanings(contracts.connectionErrorCodes)}
`;

if (process.argv.includes('--check')) {
  if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    process.stderr.write(
      'infra/docs/collection-results.md is not up to date: run node infra/docs/collection-results.mjs\n',
    );
    process.exit(1);
  }
} else {
  writeFileSync(target, text);
}

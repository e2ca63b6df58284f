// Writes errors.md from the tables in packages/contracts; --check compares instead.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const folder = fileURLToPath(new URL('.', import.meta.url));
const contracts = require(join(folder, '..', '..', 'packages', 'contracts', 'dist'));
const target = join(folder, 'errors.md');

const table = (heads, rows) =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const meanings = (codes) =>
  table(
    ['Code', 'Meaning'],
    Object.entries(codes).map(([code, { meaning }]) => [`\`${code}\``, meaning]),
  );

const apiNames = {
  'user-management': 'user management',
  connect: 'connect',
  search: 'search',
  oauth: 'tokens',
  bulk: 'bulk export',
  mcp: 'MCP',
  console: 'developer console',
};
const isInternal = ([, { apis }]) => apis.every((api) => api === 'internal');
const apisOf = (apis) => {
  const names = Object.keys(apiNames).filter((api) => apis.includes(api));
  return names.length === Object.keys(apiNames).length ? 'all' : names.map((api) => apiNames[api]).join(', ');
};
const catalogue = Object.entries(contracts.errorCatalogue);

const text = `# Errors, warnings and outcomes

Every code that an API, a redirect, a connection or a webhook can show, with its cause and its remedy. The message beside a code is one sentence for developers. It names fields, contains no secret and no clinical value, and can
change; the codes and statuses stay. Each response has \`X-Request-Id\`, by which the operator finds the request in the log.

\`node infra/docs/errors.mjs\` generates this page from \`packages/contracts/src/errors\` and \`packages/contracts/src/connections\`, and \`npm run lint\` compares them.

## Error codes of the APIs

\`error_code\` of user management, connect (with connections and webhooks) and search, and \`error\` of the OAuth endpoints. Bulk export renders these errors as OperationOutcomes, with the same status and message.

${table(
  ['Code', 'Status', 'APIs', 'Cause', 'Remedy'],
  catalogue
    .filter((entry) => !isInternal(entry))
    .map(([code, { status, apis, cause, remedy }]) => [`\`${code}\``, status, apisOf(apis), cause, remedy]),
)}

## OperationOutcomes

FHIR and bulk export. \`issue.code\` is the issue type of the table, or a more exact one of FHIR such as \`structure\`, \`required\`, \`value\` or \`invariant\`. \`issue.diagnostics\` is the message; \`issue.expression\` (dstu2:
\`location\`) is the element, or \`http.<parameter>\` for a parameter. In dstu2 and stu3 \`deleted\` is \`not-found\`.

${table(
  ['Status', '`issue.code`', 'Cause', 'Remedy'],
  Object.entries(contracts.operationOutcomes).map(([status, { code, cause, remedy }]) => [
    status,
    `\`${code}\``,
    cause,
    remedy,
  ]),
)}

## Redirects of connect

\`error\` in the redirect to the client, beside \`success=false\`.

${table(
  ['Code', 'What happened', 'What the app can do'],
  Object.entries(contracts.redirectErrors).map(([code, { cause, remedy }]) => [`\`${code}\``, cause, remedy]),
)}

## Connections

The codes in connections (\`GET /connect/v1/connections\`), in their webhooks and in the reports of the ingestion worker.

- \`complete\` says whether the last collection that ended read everything that the health system offers: every type has the outcome \`complete\` or \`not_offered\`. It stays as it is while the connection is
  collected again, and so do the \`warnings\`. During the first collection \`complete\` is \`false\`.
- \`active\` with \`complete: false\` means that something was refused or could not be read. The next scheduled collection tries again.
- A later collection may read only what has changed. A warning by which something is missing stays until its type is read in full again.
- \`warnings\` name what is missing and why, so a connection with \`complete: true\` has none, but for \`patient_changed\`. What was unusual although nothing is missing is in \`information\`, which events do not have.
- Lists of connections and events have at most 50 warnings of a connection, the worst first; \`warnings_omitted\` counts the others. \`GET /connect/v1/connections/{connection_id}\`
  has all of them, and all information, in \`results\`.
- \`progress.collected\` counts the resources that the connection has collected, over all of its collections, without those that the health system has deleted. A resource that a client deletes
  stays counted, and is not counted again when a full collection restores it. When a collection is replaced by a newer one before it ends, the count misses what it has stored since its last report.
- \`error\` is present in \`failed\` and \`needs_reauthorization\`, and in \`collecting\` while the collection waits until \`retry_at\`.
- Without a refresh token (\`refreshable: false\`) the connection works until \`access_expires_at\`. Then it needs reauthorization.

### Errors of a connection

${meanings(contracts.connectionErrorCodes)}

### Outcomes of a resource type

${meanings(contracts.typeOutcomes)}

### Warnings

The outcome of a type follows from its warnings: \`failed\` before \`refused\` before \`partial\` before \`not_offered\`, and \`complete\` without any of them.

${table(
  ['Code', 'Outcome', 'List', 'Meaning'],
  Object.entries(contracts.warningCodes).map(([code, { outcome, meaning }]) => [
    `\`${code}\``,
    outcome ? `\`${outcome}\`` : '',
    contracts.isInformation({ code }) ? '`information`' : '`warnings`',
    meaning,
  ]),
)}

## Webhooks

\`disabled_reason\` of an endpoint is one of these sentences; the second one continues with the last attempt.

${table(
  ['Reason', 'Remedy'],
  Object.values(contracts.webhookDisabledReasons).map(({ message, remedy }) => [message, remedy]),
)}

\`reason\` of \`POST /connect/v1/webhooks/{endpoint_id}/test\` says why there was no response: an error code of Node.js (\`ECONNREFUSED\`, \`ENOTFOUND\`, \`ECONNABORTED\` for the time limit, codes of TLS), or a sentence about an
address that may not be called.

## Between services

Codes of the internal APIs only, for operators who read logs.

${table(
  ['Code', 'Status', 'Cause', 'Remedy'],
  catalogue.filter(isInternal).map(([code, { status, cause, remedy }]) => [`\`${code}\``, status, cause, remedy]),
)}
`;

if (process.argv.includes('--check')) {
  if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    process.stderr.write('infra/docs/errors.md is not up to date: run node infra/docs/errors.mjs\n');
    process.exit(1);
  }
} else {
  writeFileSync(target, text);
}

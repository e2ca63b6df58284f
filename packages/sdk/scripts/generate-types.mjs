// Writes src/api-types.ts from the schemas of packages/contracts, which the services validate with. With --check it
// writes nothing, and ends with 1 when the file is not current.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as contracts from '@tributary/contracts';
import { format } from 'oxfmt';
import { declarationsOf, typeOf } from './declarations.mjs';

const packageFolder = join(import.meta.dirname, '..');
const file = join(packageFolder, 'src', 'api-types.ts');

/** The exported types: their names, and their schemas. A schema within another one becomes a reference by its name. */
const named = {
  FhirVersion: contracts.fhirVersion,
  ConnectionStatus: contracts.connectionStatus,
  TypeOutcome: contracts.typeOutcome,
  CollectionWarningCode: contracts.collectionWarningCode,
  ConnectionErrorCode: contracts.connectionErrorCode,
  CollectionWarning: contracts.collectionWarning,
  ConnectionWarning: contracts.connectionWarning,
  ConnectionError: contracts.connectionError,
  RedirectError: contracts.redirectError,
  UserEntry: contracts.userEntry,
  UserWithCode: contracts.userWithCode,
  UserList: contracts.userList,
  ChangedUser: contracts.changedUser,
  TokenResponse: contracts.tokenResponse,
  SystemTokenResponse: contracts.systemTokenResponse,
  HealthSystemEntry: contracts.healthSystemEntry,
  HealthSystemSearchResponse: contracts.healthSystemSearchResponse,
  TypeProgress: contracts.typeProgress,
  TypeResult: contracts.typeResult,
  OutcomeCounts: contracts.outcomeCounts,
  ConsentEnding: contracts.consentEnding,
  ConsentSummary: contracts.consentSummary,
  ConsentReceipt: contracts.consentReceipt,
  ConnectionConsent: contracts.connectionConsent,
  ConnectionEntry: contracts.connectionEntry,
  ConnectionList: contracts.connectionList,
  ConnectionDetail: contracts.connectionDetail,
  RefreshedConnection: contracts.refreshedConnection,
  ConnectLink: contracts.connectLink,
  ExportedFile: contracts.exportedFile,
  ExportManifest: contracts.exportManifest,
  ExportEntry: contracts.exportEntry,
  ExportList: contracts.exportList,
  WebhookEndpointEntry: contracts.webhookEndpointEntry,
  WebhookList: contracts.webhookList,
  CreatedWebhook: contracts.createdWebhook,
  ChangedWebhook: contracts.changedWebhook,
  RotatedWebhookSecret: contracts.rotatedWebhookSecret,
  TestedWebhook: contracts.testedWebhook,
  WebhookEventType: contracts.webhookEventType,
  WebhookDeliveryState: contracts.deliveryState,
  WebhookAttempt: contracts.deliveryAttempt,
  WebhookDelivery: contracts.deliveryEntry,
  WebhookDeliveryList: contracts.deliveryList,
  ReplayedWebhooks: contracts.replayed,
  ReplayedWebhookDelivery: contracts.replayedDelivery,
  ActivityFailures: contracts.activityFailures,
  ActivityCounts: contracts.activityCounts,
  Activity: contracts.activity,
  ServiceError: contracts.serviceError,
};

const eventTypes = Object.keys(contracts.webhookEventData);
// Applications call neither the internal APIs nor that of the developer console.
const errorCodes = Object.entries(contracts.errorCatalogue)
  .filter(([, { apis }]) => apis.some((api) => !['console', 'internal'].includes(api)))
  .map(([code]) => code);
const source = [
  '// Generated from packages/contracts by scripts/generate-types.mjs; change the schemas there, and run:',
  '// npm run generate -w @tributary/sdk',
  '',
  declarationsOf(named),
  '/** `code` of an ApiError of user management, connect, search and the token endpoint. */',
  `export type ErrorCode = ${errorCodes.map((code) => JSON.stringify(code)).join(' | ')};`,
  '',
  '/** The `data` of each event type: ids and counts, but no clinical values. */',
  `export interface WebhookEventData {${eventTypes
    .map((type) => `${JSON.stringify(type)}: ${typeOf(contracts.webhookEventData[type], named)};`)
    .join('\n')}}`,
].join('\n');

const options = JSON.parse(readFileSync(join(packageFolder, '..', '..', '.oxfmtrc.json'), 'utf8'));
const { code: current } = await format(file, source, options);
if (!process.argv.includes('--check')) writeFileSync(file, current);
else if (readFileSync(file, 'utf8') !== current) {
  process.stderr.write(
    'error: packages/sdk/src/api-types.ts differs from packages/contracts. Run: npm run generate -w @tributary/sdk\n',
  );
  process.exit(1);
}

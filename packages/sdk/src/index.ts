export type * from './api-types.ts';
export type { Addresses } from './addresses.ts';
export { type ConnectResult, ConnectRedirectError, newState, readConnectRedirect } from './connect/connect-redirect.ts';
export type { ConnectOptions, ConnectPageOptions, Connections, WaitOptions } from './connect/connections.ts';
export type { HealthSystemQuery, HealthSystems } from './connect/health-systems.ts';
export type { ExportJob, ExportStatus, WaitForExportOptions } from './exports/export-job.ts';
export type {
  DownloadOptions,
  DownloadProgress,
  ExportParameters,
  ExportedResource,
  Exports,
} from './exports/exports.ts';
export type { FhirClient, FhirClientOptions, ResourceCount, SearchOptions } from './fhir/fhir-client.ts';
export type * from './fhir/fhir-types.ts';
export { type SearchParameters, type SearchValue, escapeSearchValue } from './fhir/search-parameters.ts';
export type { SearchResults } from './fhir/search-results.ts';
export type { AccessTokenSource } from './http/bearer-credentials.ts';
export {
  ApiError,
  type ApiErrorDetails,
  IncompleteDownloadError,
  NetworkError,
  type OperationOutcome,
  TimeoutError,
  TributaryError,
} from './http/errors.ts';
export type { CallOptions, HttpOptions } from './http/http.ts';
export type { ClientKey, PrivateJwk } from './tokens/client-assertion.ts';
export type { RefreshOptions } from './tokens/refreshing-tokens.ts';
export type { ClientIdentity, Tokens } from './tokens/token-endpoint.ts';
export {
  type StoredTokens,
  type TokenSet,
  type TokenStore,
  memoryTokenStore,
  newStoredTokens,
} from './tokens/token-store.ts';
export { TributaryServer, type TributaryServerOptions } from './tributary-server.ts';
export { TributaryUser, type TributaryUserOptions } from './tributary-user.ts';
export type { UserSelection, Users } from './users.ts';
export {
  type VerifyWebhookOptions,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
  verifyWebhook,
} from './webhooks/verify-webhook.ts';
export type {
  WebhookChange,
  WebhookDeliveryQuery,
  WebhookEndpoints,
  WebhookReplay,
} from './webhooks/webhook-endpoints.ts';

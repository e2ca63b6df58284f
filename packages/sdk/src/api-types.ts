// Generated from packages/contracts by scripts/generate-types.mjs; change the schemas there, and run:
// npm run generate -w @tributary/sdk

export type FhirVersion = 'dstu2' | 'stu3' | 'r4';

export type ConnectionStatus = 'collecting' | 'active' | 'needs_reauthorization' | 'failed' | 'revoked';

/** `pending`: The collection of the type has not ended. `complete`: Everything that the health system offers was read. `partial`: Something was read, and something may be missing. `refused`: The health system refused to give the type. `not_offered`: The health system does not offer the type, or it was not requested. Nothing is missing. `failed`: A response was missing or could not be used. The next collection reads the type again. */
export type TypeOutcome = 'pending' | 'complete' | 'partial' | 'refused' | 'not_offered' | 'failed';

/** `not_granted`: The user or the health system did not grant access to the type, although it was requested. `search_refused`: Every search of the type, or the read of the patient, was answered with a 4xx status, 501 or an equivalent. `patient_not_found`: The read of the patient was answered with 404 or 410. `no_patient_search`: The health system offers no search of this type by patient, and refuses one. `not_offered`: The CapabilityStatement does not offer the type. `not_requested`: The client application does not ask for the type, or our registration at the health system does not contain a scope for it. `read_only`: The health system offers to read the type by id, but not to search for it. What no other resource refers to was not found. `limited_search`: The search had to name categories, or another parameter; what has none of the named values was not found. `granted_in_part`: The granted scopes contain a part of the type only. `included_in_part`: Resources of the type come with the searches of other types, and one of these did not return all of them. `search_partly_refused`: One of several searches of the type was refused. `results_withheld`: An OperationOutcome among the results says that results were left out, for example with the code `suppressed`, `incomplete` or `too-costly`. `entry_unreadable`: An entry of a page was no resource. `resource_not_stored`: A resource was not stored, for example because it has no id. `reference_refused`: The target of a reference was refused (401, 403). `reference_failed`: The target of a reference could not be read, or more than two targets do not exist and none of the type was read. `attachment_refused`: The health system refused an attachment (4xx). `attachment_failed`: An attachment could not be read, or more than two do not exist and none was read. `attachment_at_other_host`: The attachment is at another host, where the access token is never sent, or its address names no server. `attachment_too_large`: An attachment exceeds the size limit. `no_response`: There was no response within the time limit. `server_error`: 5xx, 408 or 429 to every attempt. `response_unreadable`: A successful response was no Bundle, or no JSON. `response_too_large`: A response exceeds the size limit. `error_in_response`: A successful response held an OperationOutcome with the severity `error` or `fatal`. `paging_failed`: A link to the next page cannot be followed, or the pages never end. `access_lost`: The health system refused a renewed access token. `access_postponed`: The health system does not renew the access token at the moment. `address_forbidden`: The address is not public, or not https. `absence_unexplained`: The record holds a resource that the searches did not return, and a read of it neither returned it nor was answered with 404 or 410. It is kept. `reference_not_found`: The target of a reference does not exist (404, 410). `attachment_not_found`: The address of an attachment does not exist (404, 410). `health_system_warning`: An OperationOutcome with the severity `warning` was among the results. `patient_changed`: The birth date, or the names and identifiers, of the Patient are others than before. The health system may have corrected them. `search_restarted`: A paging session had expired; the search was restarted. `page_size_refused`: The health system refused the page size, or large pages did not come in time; the search was repeated with a smaller one, or none. */
export type CollectionWarningCode =
  | 'not_granted'
  | 'search_refused'
  | 'patient_not_found'
  | 'no_patient_search'
  | 'not_offered'
  | 'not_requested'
  | 'read_only'
  | 'limited_search'
  | 'granted_in_part'
  | 'included_in_part'
  | 'search_partly_refused'
  | 'results_withheld'
  | 'entry_unreadable'
  | 'resource_not_stored'
  | 'reference_refused'
  | 'reference_failed'
  | 'attachment_refused'
  | 'attachment_failed'
  | 'attachment_at_other_host'
  | 'attachment_too_large'
  | 'no_response'
  | 'server_error'
  | 'response_unreadable'
  | 'response_too_large'
  | 'error_in_response'
  | 'paging_failed'
  | 'access_lost'
  | 'access_postponed'
  | 'address_forbidden'
  | 'absence_unexplained'
  | 'reference_not_found'
  | 'attachment_not_found'
  | 'health_system_warning'
  | 'patient_changed'
  | 'search_restarted'
  | 'page_size_refused';

/** `patient_refused`: The health system refused to give the patient. `everything_refused`: The health system refused every search. `health_system_unavailable`: The health system does not respond, or responds with errors. The collection is retried. `types_failed`: Some resource types could not be read. The collection is retried. `access_lost`: The health system refused a renewed access token. `needs_reauthorization`: The health system no longer accepts the grant, or it expired without a refresh token. The user must connect again. `client_not_accepted`: The health system refuses our client registration, or has none. The operator must correct it. `address_forbidden`: The address of the health system is not public, or not https. `internal_error`: The collection ended with an unexpected error of this service. */
export type ConnectionErrorCode =
  | 'patient_refused'
  | 'everything_refused'
  | 'health_system_unavailable'
  | 'types_failed'
  | 'access_lost'
  | 'needs_reauthorization'
  | 'client_not_accepted'
  | 'address_forbidden'
  | 'internal_error';

export interface CollectionWarning {
  code: CollectionWarningCode;
  /** One sentence. It contains no clinical value. */
  message: string;
}

export interface ConnectionWarning {
  code: CollectionWarningCode;
  /** One sentence. It contains no clinical value. */
  message: string;
  /** The resource type that the warning is about. */
  type?: string | undefined;
}

export interface ConnectionError {
  code: ConnectionErrorCode;
  /** One sentence. */
  message: string;
}

export type RedirectError =
  | 'access_denied'
  | 'no_patient'
  | 'other_person'
  | 'invalid_scope'
  | 'not_registered'
  | 'system_unavailable'
  | 'expired'
  | 'server_error'
  | 'user_inactive';

export interface UserEntry {
  /** Identifies the user; assigned by the service. */
  service_user_id: number;
  /** The identifier of the user in your application, unique in it. */
  app_user_id: string;
  active: boolean;
}

export interface UserWithCode {
  success: true;
  /** OAuth 2.0 authorization code of the user, valid for ten minutes and one use. */
  code: string;
  /** Identifies the user; assigned by the service. */
  service_user_id: number;
  /** The identifier of the user in your application, unique in it. */
  app_user_id: string;
  active: true;
}

export interface UserList {
  success: true;
  total: number;
  offset: number;
  limit: number;
  /** By ascending service_user_id. */
  entry: Array<UserEntry>;
}

export interface ChangedUser {
  /** Identifies the user; assigned by the service. */
  service_user_id: number;
  /** The identifier of the user in your application, unique in it. */
  app_user_id: string;
  active: boolean;
  success: true;
}

export interface TokenResponse {
  /** Bearer token for the user's data. */
  access_token: string;
  /** Can be exchanged once for a new pair of tokens. */
  refresh_token: string;
  token_type: 'Bearer';
  /** Seconds until the access token expires. */
  expires_in: number;
  scope: string;
}

export interface SystemTokenResponse {
  /** Bearer token for exports of the data of all of the client's users. */
  access_token: string;
  token_type: 'Bearer';
  /** Seconds until the access token expires. */
  expires_in: number;
  scope: string;
}

export interface HealthSystemEntry {
  /** The id of the health system, for the connect URL. */
  id: number;
  name: string;
  /** The postal address as text; empty when the health system publishes none. */
  address: string;
  /** The FHIR releases it offers. */
  fhirVersions: Array<FhirVersion>;
  /** Whether this service is registered at the health system, so that a user can connect to it. */
  connectable: boolean;
  /** An https URL, or the image as a data: URL. */
  logo?: string | undefined;
  /** The distance from `near` to the nearest of its addresses, in kilometers, by the center of the area of its ZIP code; absent without `near`, and where no address has a known ZIP code. */
  distance_km?: number | undefined;
}

export interface HealthSystemSearchResponse {
  success: true;
  total: number;
  offset: number;
  limit: 20;
  entry: Array<HealthSystemEntry>;
}

export interface TypeProgress {
  type: string;
  read: 'full' | 'changes' | 'references';
  fetched: number;
  stored: number;
  unchanged: number;
  failed: number;
  /** Of the stored ones: those that the record did not hold before. */
  created: number;
  /** Of the created ones: those that the record had held once, and deleted. */
  restored?: number | undefined;
  /** Those that were deleted in the record, as the health system has deleted them. */
  deleted: number;
  /** Whether the collection of the type has ended. */
  done: boolean;
  outcome: TypeOutcome;
  warnings: Array<CollectionWarning>;
}

export interface TypeResult {
  type: string;
  outcome: TypeOutcome;
  warnings: Array<CollectionWarning>;
}

export interface OutcomeCounts {
  /** Everything that the health system offers was read. */
  complete: number;
  /** Something was read, and something may be missing. */
  partial: number;
  /** The health system refused to give the type. */
  refused: number;
  /** The health system does not offer the type, or it was not requested. Nothing is missing. */
  not_offered: number;
  /** A response was missing or could not be used. The next collection reads the type again. */
  failed: number;
}

/** `user`: The user disconnected. `client`: The client disconnected the user. `expiry`: The time of the consent ran out. `health_system`: The health system no longer accepts the access, or it expired without a refresh token. `replaced`: The user connected again; a later consent took its place. */
export type ConsentEnding = 'user' | 'client' | 'expiry' | 'health_system' | 'replaced';

export interface ConsentSummary {
  /** Identifies the consent receipt. */
  receipt_id: string;
  client_id: string;
  /** When the user returned from the health system with its authorization. */
  given_at: string;
  /** Nothing is collected from this time on, and the access is revoked at the health system. `null`: no end. */
  expires_at: string | null;
  /** Absent while the consent is in force. */
  ended_at?: string | undefined;
  ended_by?: ConsentEnding | undefined;
  /** The resource types that are collected. `null`: all that the health system grants. */
  types: Array<string> | null;
  /** The SMART scopes of the authorization request. */
  scopes_requested: Array<string>;
  /** The scopes that were granted at that time, as the health system names them. */
  scopes_granted: Array<string>;
}

export interface ConsentReceipt {
  /** Identifies the consent receipt. */
  receipt_id: string;
  /** When the user returned from the health system with its authorization. */
  given_at: string;
  /** Nothing is collected from this time on, and the access is revoked at the health system. `null`: no end. */
  expires_at: string | null;
  /** Absent while the consent is in force. */
  ended_at?: string | undefined;
  ended_by?: ConsentEnding | undefined;
  /** The resource types that are collected. `null`: all that the health system grants. */
  types: Array<string> | null;
  /** The SMART scopes of the authorization request. */
  scopes_requested: Array<string>;
  /** The scopes that were granted at that time, as the health system names them. */
  scopes_granted: Array<string>;
  connection_id: string;
  client: {
    client_id: string;
    name: string;
    mode: 'test' | 'live';
  };
  health_system: {
    id: number;
    name: string;
  };
  fhirVersion: FhirVersion;
  fhir_base_url: string;
}

export interface ConnectionConsent {
  /** Identifies the consent receipt. */
  receipt_id: string;
  /** When the user returned from the health system with its authorization. */
  given_at: string;
  /** Nothing is collected from this time on, and the access is revoked at the health system. `null`: no end. */
  expires_at: string | null;
  /** Absent while the consent is in force. */
  ended_at?: string | undefined;
  ended_by?: ConsentEnding | undefined;
  /** The resource types that are collected. `null`: all that the health system grants. */
  types: Array<string> | null;
  /** The SMART scopes of the authorization request. */
  scopes_requested: Array<string>;
  /** The scopes that were granted at that time, as the health system names them. */
  scopes_granted: Array<string>;
  connection_id: string;
  client: {
    client_id: string;
    name: string;
    mode: 'test' | 'live';
  };
  health_system: {
    id: number;
    name: string;
  };
  fhirVersion: FhirVersion;
  fhir_base_url: string;
  success: true;
  /** The receipts of the earlier consents to this connection, newest first; at most 100. */
  earlier: Array<ConsentReceipt>;
}

export interface ConnectionEntry {
  connection_id: string;
  health_system: {
    id: number;
    name: string;
  };
  fhirVersion: FhirVersion;
  /** Whose record the connection collects, as its health system names the Patient. `name` and `birth_date` are absent until the Patient could be read. */
  patient: {
    /** The id of the Patient at the health system. */
    id: string;
    name?: string | undefined;
    /** `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. */
    birth_date?: string | undefined;
  };
  /** Whether this Patient was another person than those of the record when it was connected. */
  other_person: boolean;
  status: ConnectionStatus;
  progress: {
    /** Resources that this connection has collected, over all of its collections, without those that the health system has deleted since. A resource that your client deletes stays counted, and is not counted again when a full collection restores it. When a collection was replaced by a newer one before its end, it can be lower. */
    collected: number;
    /** Resource types of the current or last collection that have ended. */
    types_done: number;
    /** Planned resource types; 0 before the first collection is planned, and constant from then on until the collection ends. Types to which only references lead are not counted. */
    types_total: number;
  };
  /** Whether the last collection that ended read everything that the health system offers. `active` with `false`: something was refused or could not be read; `warnings` name it. It keeps its value while the connection is collected again. */
  complete: boolean;
  /** How many resource types ended with each outcome: of the last collection that ended, and during the first one, of those that have ended so far. `getConnection` returns the outcome of each type. */
  outcomes: OutcomeCounts;
  /** What is missing and why, of the last collection that ended, and during the first one, of that one: at most 50. A warning of an earlier collection stays until its type is read in full again. */
  warnings: Array<ConnectionWarning>;
  /** How many warnings are left out. `getConnection` returns all of them. */
  warnings_omitted: number;
  /** What was unusual although nothing is missing, such as types that the health system does not offer: at most 50. */
  information: Array<ConnectionWarning>;
  /** When a collection was last completed. */
  last_collected_at: string | null;
  /** The scopes that were granted, as the health system names them. */
  granted_scopes: Array<string>;
  /** Whether the health system issued a refresh token. Without one the user must connect again when the access token expires. */
  refreshable: boolean;
  /** Without a refresh token: when the access token expires, as the health system stated it. */
  access_expires_at?: string | undefined;
  /** What the user agreed to when the connection was last made. */
  consent: ConsentSummary;
  error?: ConnectionError | undefined;
  /** While `collecting`: the health system is not available, and the collection is resumed at this time. */
  retry_at?: string | undefined;
}

export interface ConnectionList {
  success: true;
  entry: Array<ConnectionEntry>;
}

export interface ConnectionDetail {
  connection_id: string;
  health_system: {
    id: number;
    name: string;
  };
  fhirVersion: FhirVersion;
  /** Whose record the connection collects, as its health system names the Patient. `name` and `birth_date` are absent until the Patient could be read. */
  patient: {
    /** The id of the Patient at the health system. */
    id: string;
    name?: string | undefined;
    /** `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. */
    birth_date?: string | undefined;
  };
  /** Whether this Patient was another person than those of the record when it was connected. */
  other_person: boolean;
  status: ConnectionStatus;
  progress: {
    /** Resources that this connection has collected, over all of its collections, without those that the health system has deleted since. A resource that your client deletes stays counted, and is not counted again when a full collection restores it. When a collection was replaced by a newer one before its end, it can be lower. */
    collected: number;
    /** Resource types of the current or last collection that have ended. */
    types_done: number;
    /** Planned resource types; 0 before the first collection is planned, and constant from then on until the collection ends. Types to which only references lead are not counted. */
    types_total: number;
  };
  /** Whether the last collection that ended read everything that the health system offers. `active` with `false`: something was refused or could not be read; `warnings` name it. It keeps its value while the connection is collected again. */
  complete: boolean;
  /** How many resource types ended with each outcome: of the last collection that ended, and during the first one, of those that have ended so far. `getConnection` returns the outcome of each type. */
  outcomes: OutcomeCounts;
  /** What is missing and why, of the last collection that ended, and during the first one, of that one: at most 50. A warning of an earlier collection stays until its type is read in full again. */
  warnings: Array<ConnectionWarning>;
  /** How many warnings are left out. `getConnection` returns all of them. */
  warnings_omitted: number;
  /** What was unusual although nothing is missing, such as types that the health system does not offer: at most 50. */
  information: Array<ConnectionWarning>;
  /** When a collection was last completed. */
  last_collected_at: string | null;
  /** The scopes that were granted, as the health system names them. */
  granted_scopes: Array<string>;
  /** Whether the health system issued a refresh token. Without one the user must connect again when the access token expires. */
  refreshable: boolean;
  /** Without a refresh token: when the access token expires, as the health system stated it. */
  access_expires_at?: string | undefined;
  /** What the user agreed to when the connection was last made. */
  consent: ConsentSummary;
  error?: ConnectionError | undefined;
  /** While `collecting`: the health system is not available, and the collection is resumed at this time. */
  retry_at?: string | undefined;
  success: true;
  /** The progress of each type in the current or last collection. */
  types: Array<TypeProgress>;
  /** The result of each type in the last collection that ended, with the warnings of earlier ones that still hold. */
  results: Array<TypeResult>;
}

export interface RefreshedConnection {
  connection_id: string;
  health_system: {
    id: number;
    name: string;
  };
  fhirVersion: FhirVersion;
  /** Whose record the connection collects, as its health system names the Patient. `name` and `birth_date` are absent until the Patient could be read. */
  patient: {
    /** The id of the Patient at the health system. */
    id: string;
    name?: string | undefined;
    /** `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. */
    birth_date?: string | undefined;
  };
  /** Whether this Patient was another person than those of the record when it was connected. */
  other_person: boolean;
  status: ConnectionStatus;
  progress: {
    /** Resources that this connection has collected, over all of its collections, without those that the health system has deleted since. A resource that your client deletes stays counted, and is not counted again when a full collection restores it. When a collection was replaced by a newer one before its end, it can be lower. */
    collected: number;
    /** Resource types of the current or last collection that have ended. */
    types_done: number;
    /** Planned resource types; 0 before the first collection is planned, and constant from then on until the collection ends. Types to which only references lead are not counted. */
    types_total: number;
  };
  /** Whether the last collection that ended read everything that the health system offers. `active` with `false`: something was refused or could not be read; `warnings` name it. It keeps its value while the connection is collected again. */
  complete: boolean;
  /** How many resource types ended with each outcome: of the last collection that ended, and during the first one, of those that have ended so far. `getConnection` returns the outcome of each type. */
  outcomes: OutcomeCounts;
  /** What is missing and why, of the last collection that ended, and during the first one, of that one: at most 50. A warning of an earlier collection stays until its type is read in full again. */
  warnings: Array<ConnectionWarning>;
  /** How many warnings are left out. `getConnection` returns all of them. */
  warnings_omitted: number;
  /** What was unusual although nothing is missing, such as types that the health system does not offer: at most 50. */
  information: Array<ConnectionWarning>;
  /** When a collection was last completed. */
  last_collected_at: string | null;
  /** The scopes that were granted, as the health system names them. */
  granted_scopes: Array<string>;
  /** Whether the health system issued a refresh token. Without one the user must connect again when the access token expires. */
  refreshable: boolean;
  /** Without a refresh token: when the access token expires, as the health system stated it. */
  access_expires_at?: string | undefined;
  /** What the user agreed to when the connection was last made. */
  consent: ConsentSummary;
  error?: ConnectionError | undefined;
  /** While `collecting`: the health system is not available, and the collection is resumed at this time. */
  retry_at?: string | undefined;
  success: true;
}

export interface ConnectLink {
  /** Send the browser of the user here. It works once, and holds no token. */
  url: string;
  /** When it ends: ten minutes after the request. */
  expires_at: string;
}

export interface ExportedFile {
  /** The resource type of every line. */
  type: string;
  /** Shape {analytics_url}/bulk-data/r4/$export/<resource_type>/<file_token>.ndjson; requires the same credentials as the export. */
  url: string;
  /** Resources in the file. */
  count: number;
  extension: {
    /** The release of every line. */
    fhirVersion: FhirVersion;
    /** In an export in R4: the release from which the lines were converted, or of the resources that were omitted. */
    convertedFrom?: FhirVersion | undefined;
  };
}

export interface ExportManifest {
  /** The export contains what was stored at this time; use it as _since of the next export. */
  transactionTime: string;
  /** The URL of the export request. */
  request: string;
  /** Downloads require credentials. */
  requiresAccessToken: true;
  output: Array<ExportedFile>;
  /** With _since: files of Bundles that list the resources deleted since then. */
  deleted: Array<ExportedFile>;
  /** Files of OperationOutcomes; empty when no error occurred. */
  error: Array<ExportedFile>;
}

export interface ExportEntry {
  /** The last segment of the URL of the status. */
  export_id: string;
  /** As in Content-Location: where the manifest is when the export is finished, and where it is deleted. */
  status_url: string;
  state: 'accepted' | 'planning' | 'finished' | 'failed';
  /** Of the planning, in percent. */
  progress: number;
  created_at: string;
  /** Until when its files can be downloaded; then it is no longer listed. */
  expires_at: string;
  /** The resource types that were asked for; absent: all. */
  types?: Array<string> | undefined;
  /** `_since` of the request. */
  since?: string | undefined;
  /** Whether resources of DSTU2 and STU3 are converted to R4. */
  in_r4: boolean;
  /** The other parameters of the request, without their values. */
  filters: Array<'_elements' | '_typeFilter' | '_releasePerSource' | 'patient'>;
  /** Why the export has failed. */
  error?:
    | {
        code: string;
        message: string;
      }
    | undefined;
}

export interface ExportList {
  total: number;
  offset: number;
  limit: number;
  entry: Array<ExportEntry>;
}

export interface WebhookEndpointEntry {
  /** Identifies the endpoint. */
  endpoint_id: string;
  url: string;
  mode: 'test' | 'live';
  /** The selected events. Absent: all. */
  events?: Array<WebhookEventType> | undefined;
  status: 'enabled' | 'disabled';
  /** Why it was disabled. It receives no events until it is enabled again. */
  disabled_reason?: string | undefined;
  disabled_at?: string | undefined;
  /** When an event was last accepted. */
  last_success_at?: string | undefined;
  /** The last attempt that was not accepted. */
  last_failure?:
    | {
        at: string;
        /** The HTTP status of the response. */
        status?: number | undefined;
        /** Why there was no response, such as `ECONNREFUSED`. */
        reason?: string | undefined;
      }
    | undefined;
  /** Attempts since the last accepted one. */
  consecutive_failures: number;
  created_at: string;
}

export interface WebhookList {
  success: true;
  /** Oldest first. */
  entry: Array<WebhookEndpointEntry>;
}

export interface CreatedWebhook {
  /** Identifies the endpoint. */
  endpoint_id: string;
  url: string;
  mode: 'test' | 'live';
  /** The selected events. Absent: all. */
  events?: Array<WebhookEventType> | undefined;
  status: 'enabled' | 'disabled';
  /** Why it was disabled. It receives no events until it is enabled again. */
  disabled_reason?: string | undefined;
  disabled_at?: string | undefined;
  /** When an event was last accepted. */
  last_success_at?: string | undefined;
  /** The last attempt that was not accepted. */
  last_failure?:
    | {
        at: string;
        /** The HTTP status of the response. */
        status?: number | undefined;
        /** Why there was no response, such as `ECONNREFUSED`. */
        reason?: string | undefined;
      }
    | undefined;
  /** Attempts since the last accepted one. */
  consecutive_failures: number;
  created_at: string;
  success: true;
  /** `whsec_` followed by the signing key in base64. It is shown only in this response. */
  secret: string;
}

export interface ChangedWebhook {
  /** Identifies the endpoint. */
  endpoint_id: string;
  url: string;
  mode: 'test' | 'live';
  /** The selected events. Absent: all. */
  events?: Array<WebhookEventType> | undefined;
  status: 'enabled' | 'disabled';
  /** Why it was disabled. It receives no events until it is enabled again. */
  disabled_reason?: string | undefined;
  disabled_at?: string | undefined;
  /** When an event was last accepted. */
  last_success_at?: string | undefined;
  /** The last attempt that was not accepted. */
  last_failure?:
    | {
        at: string;
        /** The HTTP status of the response. */
        status?: number | undefined;
        /** Why there was no response, such as `ECONNREFUSED`. */
        reason?: string | undefined;
      }
    | undefined;
  /** Attempts since the last accepted one. */
  consecutive_failures: number;
  created_at: string;
  success: true;
}

export interface RotatedWebhookSecret {
  success: true;
  /** `whsec_` followed by the signing key in base64. It is shown only in this response. */
  secret: string;
  /** Until then every event is also signed with the previous secret. */
  previous_secret_until: string;
}

export interface TestedWebhook {
  success: true;
  /** Whether the endpoint responded with 2xx. */
  delivered: boolean;
  /** The HTTP status of the response. */
  status?: number | undefined;
  /** Why there was no response, such as `ECONNREFUSED`. */
  reason?: string | undefined;
  /** The time until the response, in milliseconds. */
  duration_ms: number;
}

export type WebhookEventType =
  | 'connection.active'
  | 'connection.needs_reauthorization'
  | 'connection.failed'
  | 'connection.revoked'
  | 'collection.completed'
  | 'user.deleted'
  | 'export.completed';

/** `pending`: the event is being sent or sent again. `delivered`: the endpoint accepted it. `failed`: it was not accepted within 24 hours. `missed`: the endpoint was disabled. */
export type WebhookDeliveryState = 'pending' | 'delivered' | 'failed' | 'missed';

export interface WebhookAttempt {
  /** When the request was sent. */
  at: string;
  /** The time until the response, in milliseconds. */
  duration_ms: number;
  /** The HTTP status of the response. */
  status?: number | undefined;
  /** Why there was no response, such as `ECONNREFUSED`. */
  reason?: string | undefined;
}

export interface WebhookDelivery {
  /** The header `webhook-id`. It is the same for every attempt and every replay of the event. */
  webhook_id: string;
  event: WebhookEventType;
  /** When the event happened. */
  timestamp: string;
  service_user_id?: number | undefined;
  connection_id?: string | undefined;
  state: WebhookDeliveryState;
  /** Oldest first; the last 30. */
  attempts: Array<WebhookAttempt>;
  /** While `pending`: not before this time. */
  next_attempt_at?: string | undefined;
}

export interface WebhookDeliveryList {
  success: true;
  limit: number;
  /** Newest event first. */
  entry: Array<WebhookDelivery>;
  /** Absent on the last page. */
  next_cursor?: string | undefined;
}

export interface ReplayedWebhooks {
  success: true;
  /** The number of events. */
  replayed: number;
}

export interface ReplayedWebhookDelivery {
  /** The header `webhook-id`. It is the same for every attempt and every replay of the event. */
  webhook_id: string;
  event: WebhookEventType;
  /** When the event happened. */
  timestamp: string;
  service_user_id?: number | undefined;
  connection_id?: string | undefined;
  state: WebhookDeliveryState;
  /** Oldest first; the last 30. */
  attempts: Array<WebhookAttempt>;
  /** While `pending`: not before this time. */
  next_attempt_at?: string | undefined;
  success: true;
}

export interface ActivityFailures {
  /** Connect sessions that ended without a connection, by the `error` of the redirect to your client. A session that the user left is not among them. */
  connects: Record<string, number>;
  /** Failed refreshes of the access to a health system. `unavailable`: it is tried again. `refused`: it may be tried again. `refresh_refused`, `no_refresh_token`: the user must connect again. `client_not_registered`, `client_refused`: the operator must correct the registration. */
  refreshes: Record<string, number>;
  /** Collections that failed, by the code of the error of the connection; `incomplete`: completed, and something is missing. */
  collections: Record<string, number>;
  /** Collections in which the health system refused a resource type, by type. */
  types_refused: Record<string, number>;
}

export interface ActivityCounts {
  /** Collections that ended, also those of connections that were collected before. A collection that waits to be tried again has not ended. */
  collections: {
    /** Everything that the health system offers was read. */
    complete: number;
    /** Completed, and something was refused or could not be read. */
    incomplete: number;
    /** The connection is `failed`. */
    failed: number;
  };
  /** The seconds from the time at which a collection was due to its end, of those that were completed; waiting for a health system is included. The ends of the ranges in which they are counted; null when there was none. */
  collection_seconds: {
    /** Half of them took at most this many seconds. */
    p50: number;
    /** 95 % of them took at most this many seconds. */
    p95: number;
  } | null;
  /** Resources that these collections, also the failed ones, have stored, by type: each that was new to the record, or had changed. One that is read again without a change is not counted; one that changes twice is counted twice. */
  resources: Record<string, number>;
  failures: ActivityFailures;
  /** Connections that users made for the first time: of a user to a health system, for each FHIR release and Patient. Connecting again is not counted. */
  new_connections: number;
  /** Deliveries of events to the endpoints of the client that ended. A replay is a delivery of its own. Events that were not sent, since the endpoint was disabled, are not counted. */
  webhooks: {
    /** Accepted at the first attempt. */
    delivered_at_first: number;
    /** Accepted at a later attempt. */
    delivered_later: number;
    /** Sent at least once, and never accepted. */
    failed: number;
  };
  /** The milliseconds from the request to the response of the accepted attempt of each delivery. The ends of the ranges in which they are counted; null when there was none. */
  webhook_ms: {
    /** Half of them took at most this many milliseconds. */
    p50: number;
    /** 95 % of them took at most this many milliseconds. */
    p95: number;
  } | null;
}

export interface Activity {
  success: true;
  /** The first day (UTC). */
  from: string;
  /** Today (UTC), which is not over. */
  until: string;
  /** Of all days. */
  total: ActivityCounts;
  /** Each day, oldest first. */
  days: Array<{
    /** Collections that ended, also those of connections that were collected before. A collection that waits to be tried again has not ended. */
    collections: {
      /** Everything that the health system offers was read. */
      complete: number;
      /** Completed, and something was refused or could not be read. */
      incomplete: number;
      /** The connection is `failed`. */
      failed: number;
    };
    /** The seconds from the time at which a collection was due to its end, of those that were completed; waiting for a health system is included. The ends of the ranges in which they are counted; null when there was none. */
    collection_seconds: {
      /** Half of them took at most this many seconds. */
      p50: number;
      /** 95 % of them took at most this many seconds. */
      p95: number;
    } | null;
    /** Resources that these collections, also the failed ones, have stored, by type: each that was new to the record, or had changed. One that is read again without a change is not counted; one that changes twice is counted twice. */
    resources: Record<string, number>;
    failures: ActivityFailures;
    /** Connections that users made for the first time: of a user to a health system, for each FHIR release and Patient. Connecting again is not counted. */
    new_connections: number;
    /** Deliveries of events to the endpoints of the client that ended. A replay is a delivery of its own. Events that were not sent, since the endpoint was disabled, are not counted. */
    webhooks: {
      /** Accepted at the first attempt. */
      delivered_at_first: number;
      /** Accepted at a later attempt. */
      delivered_later: number;
      /** Sent at least once, and never accepted. */
      failed: number;
    };
    /** The milliseconds from the request to the response of the accepted attempt of each delivery. The ends of the ranges in which they are counted; null when there was none. */
    webhook_ms: {
      /** Half of them took at most this many milliseconds. */
      p50: number;
      /** 95 % of them took at most this many milliseconds. */
      p95: number;
    } | null;
    day: string;
  }>;
  /** The health systems with failures in this time, most failures first: at most 50. */
  health_systems: Array<{
    health_system: {
      id: number;
      name: string;
    };
    failures: ActivityFailures;
  }>;
  /** The other health systems with failures, summed. */
  other_health_systems: {
    /** How many there are. */
    count: number;
    failures: ActivityFailures;
  };
}

export interface ServiceError {
  success: false;
  /** A message that names the problem and never quotes a value of the request. */
  error: string;
  /** A code of the error catalogue, in snake_case. */
  error_code: string;
}

/** `code` of an ApiError of user management, connect, search and the token endpoint. */
export type ErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'missing_token'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'invalid_origin'
  | 'not_found'
  | 'method_not_allowed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'too_many_requests'
  | 'too_many_failed_credentials'
  | 'internal_error'
  | 'temporarily_unavailable'
  | 'outcome_unknown'
  | 'gateway_timeout'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'user_not_found'
  | 'user_already_exists'
  | 'user_inactive'
  | 'invalid_redirect_uri'
  | 'health_system_not_found'
  | 'unsupported_fhir_version'
  | 'connect_link_ended'
  | 'connect_page_ended'
  | 'invalid_state'
  | 'connection_not_found'
  | 'needs_reauthorization'
  | 'revoked'
  | 'consent_ended'
  | 'webhook_endpoint_not_found'
  | 'too_many_webhook_endpoints'
  | 'webhook_url_taken'
  | 'webhook_endpoint_disabled'
  | 'webhook_delivery_not_found'
  | 'too_many_events'
  | 'unknown_patient'
  | 'too_many_exports'
  | 'export_failed'
  | 'file_expired';

/** The `data` of each event type: ids and counts, but no clinical values. */
export interface WebhookEventData {
  'connection.active': {
    /** Identifies the user; assigned by the service. */
    service_user_id: number;
    connection_id: string;
    health_system_id: number;
    fhirVersion: FhirVersion;
    /** The Patient was another person than those of the record when it was connected. */
    other_person?: true | undefined;
    /** Whether the collection read everything that the health system offers. */
    complete: boolean;
    /** At most 50, as in the list of connections; `warnings_omitted` counts the others. */
    warnings: Array<ConnectionWarning>;
    warnings_omitted: number;
  };
  'connection.needs_reauthorization': {
    /** Identifies the user; assigned by the service. */
    service_user_id: number;
    connection_id: string;
    health_system_id: number;
    fhirVersion: FhirVersion;
    /** The Patient was another person than those of the record when it was connected. */
    other_person?: true | undefined;
  };
  'connection.failed': {
    /** Identifies the user; assigned by the service. */
    service_user_id: number;
    connection_id: string;
    health_system_id: number;
    fhirVersion: FhirVersion;
    /** The Patient was another person than those of the record when it was connected. */
    other_person?: true | undefined;
    error: ConnectionError;
  };
  'connection.revoked': {
    /** Identifies the user; assigned by the service. */
    service_user_id: number;
    connection_id: string;
    health_system_id: number;
    fhirVersion: FhirVersion;
    /** The Patient was another person than those of the record when it was connected. */
    other_person?: true | undefined;
    /** Whether the user's token or the client's credentials revoked it; `expiry`: the time of the user's consent ran out. */
    revoked_by: 'user' | 'client' | 'expiry';
  };
  'collection.completed': {
    /** Identifies the user; assigned by the service. */
    service_user_id: number;
    connection_id: string;
    health_system_id: number;
    fhirVersion: FhirVersion;
    /** The Patient was another person than those of the record when it was connected. */
    other_person?: true | undefined;
    /** Whether the collection read everything that the health system offers. */
    complete: boolean;
    /** At most 50, as in the list of connections; `warnings_omitted` counts the others. */
    warnings: Array<ConnectionWarning>;
    warnings_omitted: number;
    types: Array<{
      /** A FHIR resource type. */
      type: string;
      outcome: TypeOutcome;
      fetched: number;
      stored: number;
      unchanged: number;
      failed: number;
      created: number;
      deleted: number;
    }>;
  };
  'user.deleted': {
    /** Identifies the user; assigned by the service. */
    service_user_id: number;
  };
  'export.completed': {
    /** Absent when the export covers all users of the client. */
    service_user_id?: number | undefined;
    /** The id of the job, as in the URL of its status. */
    job_id: string;
    /** `transactionTime` of the manifest. Absent when the export failed before its snapshot was taken. */
    transaction_time?: string | undefined;
    outcome: 'completed' | 'failed';
  };
  'webhook.test': {
    /** Identifies the endpoint. */
    endpoint_id: string;
  };
}

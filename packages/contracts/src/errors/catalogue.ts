/** The APIs that an error code occurs in. `internal`: only in calls between services. */
export type ErrorApi = 'user-management' | 'connect' | 'search' | 'oauth' | 'bulk' | 'mcp' | 'console' | 'internal';

interface CatalogueEntry {
  /** The HTTP status of every response with this code. */
  status: number;
  apis: readonly ErrorApi[];
  /** Why the request fails, for developers of clients. */
  cause: string;
  /** What the client does about it. */
  remedy: string;
}

const everywhere = ['user-management', 'connect', 'search', 'oauth', 'bulk', 'mcp', 'console', 'internal'] as const;

/**
 * Every error code of the HTTP APIs: `error_code` of user management, connect and search, `error` of the OAuth
 * endpoints (RFC 6749, section 5.2). Bulk export renders the same errors as OperationOutcomes, which show status and
 * message, but not the code. `infra/docs/errors.md` is generated from this.
 */
export const errorCatalogue = {
  invalid_request: {
    status: 400,
    apis: everywhere,
    cause: 'The input violates the contract of the endpoint. The message names every invalid field.',
    remedy: 'Correct the named fields. The same request fails again.',
  },
  invalid_client: {
    status: 401,
    apis: ['user-management', 'connect', 'search', 'oauth', 'bulk', 'internal'],
    cause:
      'The credentials of the client application are missing or wrong, or the client does not exist or is disabled.',
    remedy:
      'Send the headers client_id and client_secret; at the OAuth endpoints HTTP Basic, the body or a client_assertion. Check for a rotated secret; the operator may have disabled the client.',
  },
  missing_token: {
    status: 401,
    apis: ['connect', 'search', 'bulk', 'mcp'],
    cause: 'The request has no access token.',
    remedy: 'Send `Authorization: Bearer <ACCESS_TOKEN>`.',
  },
  invalid_token: {
    status: 401,
    apis: ['connect', 'search', 'bulk', 'mcp'],
    cause:
      'The access token is unknown, expired or revoked, belongs to another client, or its user is inactive or deleted.',
    remedy:
      'Refresh the token once. When the refresh fails as well, obtain a new code by `POST /user-management/v1/user/auth-code`.',
  },
  insufficient_scope: {
    status: 403,
    apis: ['connect', 'bulk'],
    cause:
      'The scope of the access token only reads, and the request changes something; or the scope of a system token does not cover every type of `_type`.',
    remedy: 'Request a token with a scope that covers the request, such as `patient/*.cruds`; or leave the types out.',
  },
  invalid_origin: {
    status: 403,
    apis: ['connect', 'mcp', 'console'],
    cause:
      'The web page that sends the request has an origin that is not accepted: MCP protects from DNS rebinding, and a connect link, and the developer console, are used by their own pages only.',
    remedy:
      'Serve a page that uses MCP over https; the operator can list accepted origins in ALLOWED_ORIGINS. Let the user answer a connect link on its page, at the public base URL; open the console there.',
  },
  not_found: {
    status: 404,
    apis: everywhere,
    cause: 'There is nothing at this address, or it belongs to another caller.',
    remedy: 'Check the path, its version segment and its ids.',
  },
  method_not_allowed: {
    status: 405,
    apis: everywhere,
    cause: 'The address exists, but not with this method.',
    remedy: 'Use a method of the header `Allow`.',
  },
  too_large: {
    status: 413,
    apis: everywhere,
    cause: 'The body exceeds 5 MB, or an export is too large for a synchronous response.',
    remedy: 'Send less. For an export send `Prefer: respond-async`, or narrow it by `_type` or `_since`.',
  },
  unsupported_media_type: {
    status: 415,
    apis: everywhere,
    cause: 'The Content-Type or Content-Encoding of the body is not supported.',
    remedy: 'Send the media type that the message names, in UTF-8, without compression or with gzip, deflate or br.',
  },
  too_many_requests: {
    status: 429,
    apis: ['user-management', 'connect', 'search', 'oauth', 'bulk', 'mcp', 'console'],
    cause:
      'A rate limit of the user, the client or the address is used up, which the header `RateLimit` names; or too many credentials of the client are being verified.',
    remedy: 'Repeat the request after `Retry-After` seconds.',
  },
  too_many_failed_credentials: {
    status: 429,
    apis: ['user-management', 'connect', 'oauth', 'bulk'],
    cause:
      'Too many credentials of the client, or from the address, were wrong. Attempts are refused for a time that doubles with each further failure.',
    remedy: 'Correct the credentials, and repeat the request after `Retry-After` seconds.',
  },
  internal_error: {
    status: 500,
    apis: everywhere,
    cause: 'An unexpected error of this service.',
    remedy: 'Report it with the value of `X-Request-Id`. An idempotent request may be repeated.',
  },
  temporarily_unavailable: {
    status: 503,
    apis: everywhere,
    cause: 'A part of the service is not available, or has too much to do. The request was not carried out.',
    remedy: 'Repeat the request after `Retry-After` seconds.',
  },
  outcome_unknown: {
    status: 502,
    apis: everywhere,
    cause: 'A part of the service failed while it carried the request out. Its outcome is unknown.',
    remedy: 'Read before you repeat it, or repeat it in a form that has no effect twice (If-None-Exist, If-Match).',
  },
  gateway_timeout: {
    status: 504,
    apis: everywhere,
    cause: 'A part of the service did not respond to the request in time. Its outcome is unknown.',
    remedy: 'Read before you repeat it, or repeat it in a form that has no effect twice (If-None-Exist, If-Match).',
  },

  invalid_grant: {
    status: 400,
    apis: ['oauth'],
    cause:
      'The code or refresh token is unknown, expired, used, revoked, or of another client; or a code_verifier was sent.',
    remedy: 'Obtain a new code by `POST /user-management/v1/user/auth-code`, and exchange it within ten minutes.',
  },
  invalid_scope: {
    status: 400,
    apis: ['oauth'],
    cause: 'The scope is malformed, unknown, or more than was granted.',
    remedy: 'Leave `scope` out in a refresh. For client_credentials request `system/*.rs` or `system/<Type>.rs`.',
  },
  unsupported_grant_type: {
    status: 400,
    apis: ['oauth'],
    cause:
      'The grant_type is none of authorization_code, refresh_token and client_credentials, or it is client_credentials without a client_assertion.',
    remedy: 'Send one of these. For client_credentials authenticate with a client_assertion of a registered key.',
  },

  user_not_found: {
    status: 404,
    apis: ['user-management', 'connect'],
    cause: 'This client has no such user, or the user was deleted.',
    remedy: 'Check the id. A user of another client is unknown.',
  },
  user_already_exists: {
    status: 409,
    apis: ['user-management'],
    cause: 'Another user of this client has this app_user_id.',
    remedy: 'Obtain a code of the existing user by `POST /user-management/v1/user/auth-code`.',
  },
  user_inactive: {
    status: 403,
    apis: ['user-management', 'connect'],
    cause: 'The user is switched off: there is no code for the user, and no collection.',
    remedy: 'Switch the user on: `PUT /user-management/v1/user` with active=true.',
  },

  invalid_redirect_uri: {
    status: 400,
    apis: ['connect'],
    cause: 'The redirect_uri is not registered for this client.',
    remedy: 'Send a registered one, compared character by character, or none for the first one.',
  },
  health_system_not_found: {
    status: 404,
    apis: ['connect', 'internal'],
    cause: 'The directory has no health system with this id.',
    remedy: 'Search the directory again by `POST /api/search`.',
  },
  unsupported_fhir_version: {
    status: 400,
    apis: ['connect'],
    cause: 'The health system does not offer the requested FHIR release, or none that can be collected.',
    remedy: 'Leave fhirVersion out, or send one of the `fhirVersions` of the search result.',
  },
  connect_link_ended: {
    status: 410,
    apis: ['connect'],
    cause: 'The connect link was used already, is older than ten minutes, or was opened in another browser first.',
    remedy: 'Request another by `POST /connect/v1/links`.',
  },
  connect_page_ended: {
    status: 410,
    apis: ['connect'],
    cause: 'The connect page has ended with its access token, or belongs to another browser.',
    remedy: 'Open `/connect` again, with a valid access token.',
  },
  invalid_state: {
    status: 400,
    apis: ['connect'],
    cause: 'The authorization was used already, took longer than ten minutes, or began in another browser.',
    remedy: 'Send the browser to the connect URL again.',
  },
  connection_not_found: {
    status: 404,
    apis: ['connect', 'internal'],
    cause: 'This user has no such connection.',
    remedy: 'List the connections of the user.',
  },
  needs_reauthorization: {
    status: 409,
    apis: ['connect', 'internal'],
    cause: 'The health system no longer accepts the grant of the connection.',
    remedy: 'Send the browser of the user to the connect URL again.',
  },
  revoked: {
    status: 409,
    apis: ['connect'],
    cause: 'The user or the client has disconnected the health system.',
    remedy: 'Send the browser of the user to the connect URL again, if the user wants that.',
  },
  consent_ended: {
    status: 409,
    apis: ['connect', 'internal'],
    cause: 'The time of the consent that the user gave to the connection has run out.',
    remedy: 'Ask the user for a new consent: send the browser of the user to the connect URL again.',
  },

  webhook_endpoint_not_found: {
    status: 404,
    apis: ['connect'],
    cause: 'This client has no such webhook endpoint.',
    remedy: 'List the webhook endpoints of the client.',
  },
  too_many_webhook_endpoints: {
    status: 409,
    apis: ['connect'],
    cause: 'The client has ten webhook endpoints.',
    remedy: 'Delete one that is not needed any more.',
  },
  webhook_url_taken: {
    status: 409,
    apis: ['connect'],
    cause: 'Another webhook endpoint of the client has this URL, and every event would be sent there twice.',
    remedy: 'Change the existing endpoint by `PATCH`, or rotate its secret when it is lost.',
  },
  webhook_endpoint_disabled: {
    status: 409,
    apis: ['connect'],
    cause: 'Events cannot be replayed to a webhook endpoint that is disabled.',
    remedy: 'Enable the endpoint by `POST …/enable`.',
  },
  webhook_delivery_not_found: {
    status: 404,
    apis: ['connect'],
    cause:
      'The webhook endpoint has no delivery with this webhook-id: it was not to get the event, the event is older than 15 days, or its user was deleted.',
    remedy: 'List the deliveries of the endpoint.',
  },
  too_many_events: {
    status: 400,
    apis: ['connect'],
    cause: 'More than 10,000 events are in the time range of a replay.',
    remedy: 'Replay several shorter time ranges.',
  },

  not_signed_in: {
    status: 401,
    apis: ['console'],
    cause: 'There is no session, or it has ended: after 15 minutes without a request, after 12 hours, or by its owner.',
    remedy: 'Sign in.',
  },
  invalid_credentials: {
    status: 401,
    apis: ['console'],
    cause: 'The e-mail address or the password is wrong.',
    remedy: 'Correct them, or request a new password.',
  },
  email_not_verified: {
    status: 403,
    apis: ['console'],
    cause: 'The e-mail address of the account is not verified.',
    remedy: 'Open the link of the mail, or request another one.',
  },
  second_factor_required: {
    status: 403,
    apis: ['console'],
    cause: 'The session has a password only.',
    remedy: 'Sign in with a second factor, or enrol one if the account has none.',
  },
  sign_in_again: {
    status: 403,
    apis: ['console'],
    cause:
      'Second factors, and what an operator changes, are changed within ten minutes of a sign-in with a second factor.',
    remedy: 'Sign in with a second factor; the session can stay.',
  },
  wrong_password: {
    status: 403,
    apis: ['console'],
    cause: 'The current password is wrong.',
    remedy: 'Correct it.',
  },
  weak_password: {
    status: 400,
    apis: ['console'],
    cause: 'The new password is a common one, can be guessed, or contains the e-mail address.',
    remedy: 'Choose another one.',
  },
  invalid_code: {
    status: 400,
    apis: ['console'],
    cause: 'The code is wrong, has expired or was used already.',
    remedy: 'Send the current code of the authenticator, or a recovery code that is not used.',
  },
  invalid_passkey: {
    status: 400,
    apis: ['console'],
    cause: 'The answer of the passkey is wrong, too late, or of a passkey that the account does not have.',
    remedy: 'Request new options, and use a passkey of the account.',
  },
  email_link_ended: {
    status: 410,
    apis: ['console'],
    cause: 'The link of the mail was used already, has expired, or was replaced by a newer one.',
    remedy: 'Request another one.',
  },
  last_second_factor: {
    status: 409,
    apis: ['console'],
    cause: 'The account would have neither an authenticator nor a passkey.',
    remedy: 'Add another second factor before.',
  },
  role_not_allowed: {
    status: 403,
    apis: ['console'],
    cause: 'The role of the account in the organisation does not allow it.',
    remedy: 'Ask an owner of the organisation.',
  },
  last_owner: {
    status: 409,
    apis: ['console'],
    cause: 'The organisation would have no owner.',
    remedy: 'Make another member an owner before.',
  },
  live_clients_not_allowed: {
    status: 403,
    apis: ['console'],
    cause: 'The organisation may have test clients only.',
    remedy: 'Ask the operator of the service, who allows live clients.',
  },
  organisation_has_clients: {
    status: 409,
    apis: ['console'],
    cause: 'The organisation that is to be deleted has client applications.',
    remedy: 'Delete the client applications before.',
  },
  already_member: {
    status: 409,
    apis: ['console'],
    cause: 'The account is a member of the organisation already.',
    remedy: 'Change the role of the member.',
  },
  invitation_of_another: {
    status: 403,
    apis: ['console'],
    cause: 'The invitation is for another e-mail address than that of the account.',
    remedy: 'Sign in with the invited address, or ask for another invitation.',
  },
  quota_reached: {
    status: 409,
    apis: ['console'],
    cause: 'There are as many as there may be, which the message says.',
    remedy: 'Delete what is not needed any more.',
  },

  unknown_patient: {
    status: 400,
    apis: ['bulk'],
    cause: 'The parameter `patient` names a Patient that is not among the data of the export.',
    remedy: 'Use ids of Patient resources of the record, not of the health system.',
  },
  too_many_exports: {
    status: 429,
    apis: ['bulk'],
    cause: 'The caller has ten unfinished asynchronous exports.',
    remedy: 'Wait for them, or delete them by DELETE on their status URLs.',
  },
  export_failed: {
    status: 500,
    apis: ['bulk'],
    cause: 'The asynchronous export ended with an unexpected error.',
    remedy: 'Start the export again.',
  },
  file_expired: {
    status: 410,
    apis: ['bulk'],
    cause: 'The file of an export is older than 24 hours.',
    remedy: 'Start the export again.',
  },

  unknown_service: {
    status: 401,
    apis: ['internal'],
    cause: 'Name or key of the calling service are wrong, or its client certificate is not one of this service.',
    remedy:
      'Compare SERVICE_KEY of the caller with SERVICE_KEYS of the called service. The certificate of a service has its name as a DNS name.',
  },
  caller_not_allowed: {
    status: 403,
    apis: ['internal'],
    cause: 'The calling service is one of the suite, and has no need of this route.',
    remedy: 'None: find out who uses the key of that service.',
  },
  certificate_required: {
    status: 401,
    apis: ['internal'],
    cause: 'The connection has no client certificate of a trusted authority.',
    remedy: 'Set TLS_CERTIFICATE_FILE, TLS_KEY_FILE and TLS_CA_FILE of the calling service.',
  },
  client_not_found: {
    status: 404,
    apis: ['internal'],
    cause: 'There is no such client application.',
    remedy: 'None: the caller treats it as absent.',
  },
  too_many_clients: {
    status: 409,
    apis: ['console', 'internal'],
    cause: 'The organisation has a hundred client applications.',
    remedy: 'Delete one of them.',
  },
  client_being_deleted: {
    status: 409,
    apis: ['console', 'internal'],
    cause: 'The deletion of the client application has begun: it cannot be enabled.',
    remedy: 'None: what was deleted cannot be brought back.',
  },
  verification_running: {
    status: 409,
    apis: ['console', 'internal'],
    cause: 'The audit log is being verified: the periodic verification, or that of an operator, is running.',
    remedy: 'Wait for its end.',
  },
  client_disabled: {
    status: 403,
    apis: ['internal'],
    cause: 'The credentials are right, but the operator has disabled the client application.',
    remedy: 'None: the caller refuses the request as it refuses wrong credentials.',
  },
  client_not_accepted: {
    status: 409,
    apis: ['internal'],
    cause: 'The health system refuses our client registration, or has none.',
    remedy: 'The operator corrects the registration; the collection resumes by itself.',
  },
  health_system_paused: {
    status: 409,
    apis: ['internal'],
    cause: 'The operator has paused all requests to the health system.',
    remedy: 'The worker ends its job; the collection continues when the operator resumes the health system.',
  },
  refresh_postponed: {
    status: 503,
    apis: ['internal'],
    cause: 'The health system does not renew its access at the moment.',
    remedy: 'Repeat the request after `Retry-After` seconds.',
  },
  stale_collection: {
    status: 409,
    apis: ['internal'],
    cause: 'The reported collection is not the one in progress.',
    remedy: 'The worker ends the collection.',
  },
  record_destroyed: {
    status: 410,
    apis: ['internal'],
    cause: 'The record of the user was destroyed.',
    remedy: 'The worker ends the collection.',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCatalogue, text);
}

/** The message of a code in examples. */
export function exampleMessage(code: ErrorCode): string {
  return messageOf(errorCatalogue[code].cause);
}

/** The first sentence of a cause, written as the messages of error responses are. */
export function messageOf(cause: string): string {
  const [sentence = ''] = cause.replace(/\.$/, '').split(/\. |[:;] /);
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** The HTTP status of every response with this code. */
export function statusOfError(code: ErrorCode): number {
  return errorCatalogue[code].status;
}

import type { Authentication } from '../api/authentication';

type Scheme = Authentication<unknown>['scheme'];

/** The security schemes of OpenAPI. An application holds its own credentials, and a token for each of its users. */
export const securitySchemes = {
  user_token: {
    type: 'http',
    scheme: 'bearer',
    description: "A user's access token, from `POST {auth_url}/oauth2/token` with the code of the user.",
  },
  system_token: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An access token of the client itself, from `POST {auth_url}/oauth2/token` with `grant_type=client_credentials` (SMART Backend Services).',
  },
  client_basic: {
    type: 'http',
    scheme: 'basic',
    description: 'client_id and client_secret by HTTP Basic; both may be sent in the body instead.',
  },
  service_key: {
    type: 'http',
    scheme: 'basic',
    description: 'The name and the key of a service of the suite; over TLS also its client certificate.',
  },
  console_session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-console-d0b10c616ec9edfa',
    description: 'The session of a developer, which signing in begins.',
  },
  client_id: { type: 'apiKey', in: 'header', name: 'client_id', description: 'Identifies the client application.' },
  client_secret: {
    type: 'apiKey',
    in: 'header',
    name: 'client_secret',
    description: 'The secret of the client application. It must never reach a browser.',
  },
  client_id_in_query: { type: 'apiKey', in: 'query', name: 'client_id', description: 'Use the header where you can.' },
  client_secret_in_query: {
    type: 'apiKey',
    in: 'query',
    name: 'client_secret',
    description: 'Use the header where you can: addresses are often logged.',
  },
} as const;
export type SecurityRequirement = Partial<Record<keyof typeof securitySchemes, string[]>>;

const clientHeaders: SecurityRequirement = { client_id: [], client_secret: [] };

/** The alternatives by which callers of a route are authenticated. */
export const security: Record<Scheme, SecurityRequirement[]> = {
  none: [],
  service: [{ service_key: [] }],
  session: [{ console_session: [] }],
  bearer: [{ user_token: [] }],
  client: [clientHeaders],
  'oauth-client': [{ client_basic: [] }, {}],
  'user-or-client': [{ user_token: [] }, clientHeaders],
  'bearer-or-client': [{ user_token: [] }, { system_token: [] }, clientHeaders],
};

/** The client credentials in the headers, or both in the query string. */
export const clientInHeadersOrQuery: readonly SecurityRequirement[] = [
  clientHeaders,
  { client_id_in_query: [], client_secret_in_query: [] },
];

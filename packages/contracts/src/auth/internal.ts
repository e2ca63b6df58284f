import { z } from 'zod';
import { exampleValues } from '../examples';
import { type ClientMode, clientId, clientMode, organisationId, serviceUserId } from '../identifiers';

/** The longest consent that a client can ask for: ten years. */
export const maxConsentDays = 3650;

/** A registered client application. */
export const clientApplication = z.object({
  client_id: clientId,
  name: z.string().meta({ examples: ['Example App'] }),
  mode: clientMode,
  redirect_uris: z
    .array(z.string())
    .min(1)
    .meta({ examples: [[exampleValues.redirect_uri]] }),
  requested_types: z
    .array(z.string())
    .min(1)
    .optional()
    .describe('The resource types that are requested from health systems; absent: all.'),
  people: z
    .enum(['one', 'several'])
    .default('one')
    .describe('Whether the record of a user holds one person, or may hold several.'),
  consent_days: z
    .int()
    .min(0)
    .max(maxConsentDays)
    .optional()
    .describe(
      'For how long a user consents to a connection, in days of 24 hours; 0: as long as the first access token is valid; absent: until the user ends it.',
    ),
  logo: z
    .string()
    .optional()
    .describe('The image that pages show beside the name, as a data: URL; only where a client is read by its id.'),
  frame_origins: z
    .array(z.string())
    .min(1)
    .optional()
    .describe('The origins whose pages may show the connect pages in a frame; absent: none.')
    .meta({ examples: [['https://app.example.org']] }),
});
export type ClientApplication = z.infer<typeof clientApplication>;

/** A client with its settings and its state, as it reads itself. */
export const managedClient = clientApplication
  .extend({
    jwks: z.looseObject({}).optional().describe('The public keys of the client.'),
    jwks_url: z.string().optional(),
    logo: z.literal(true).optional().describe('Whether pages show an image beside the name.'),
    organisation_id: organisationId
      .optional()
      .describe('The organisation whose developers manage the client in the console; absent: none.'),
    previous_secret_expires_at: z.iso
      .datetime()
      .optional()
      .describe('Until when the secret before the last rotation works; absent when it does not.'),
    disabled_at: z.iso
      .datetime()
      .optional()
      .describe('Since when none of its credentials works; a client that reads itself has it with `deletion_at` only.'),
    deletion_at: z.iso.datetime().optional().describe('When its users are deleted, and the client after them.'),
  })
  .meta({ id: 'ManagedClient' });
export type ManagedClient = z.infer<typeof managedClient>;
export const managedClientWithSecret = managedClient
  .extend({ client_secret: z.string() })
  .meta({ id: 'ManagedClientWithSecret' });
export type ManagedClientWithSecret = z.infer<typeof managedClientWithSecret>;

/** A client that is read by its id. */
export const foundClient = clientApplication.extend({ organisation_id: organisationId.optional() });
export type FoundClient = z.infer<typeof foundClient>;

/** A client whose credentials are right. */
export const authenticatedClient = clientApplication.extend({
  developer: z
    .string()
    .optional()
    .describe('The developer who acts for the client, by a temporary secret; absent: the client itself acts.'),
});
export type AuthenticatedClient = z.infer<typeof authenticatedClient>;

/** A client of an organisation that is to be created. */
export interface ClientRegistration {
  organisation_id: string;
  mode: ClientMode;
  name: string;
  redirect_uris: readonly string[];
  /** Who creates it, for the audit log. */
  developer?: string;
}

/** Clients of an organisation. */
export const maxClientsOfOrganisation = 100;
/** The clients of an organisation, oldest first. */
export const clientsOfOrganisation = z.object({
  clients: z.array(managedClient.extend({ created_at: z.iso.datetime() })).max(maxClientsOfOrganisation),
});
export type ClientsOfOrganisation = z.infer<typeof clientsOfOrganisation>;

/** A developer of the console. */
export const developerId = z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'must have 1 to 64 letters, digits or -');
/** A secret that works as that of the client does until it expires, and names the developer who acts. */
export const temporarySecret = z.object({ client_secret: z.string(), expires_at: z.iso.datetime() });
export type TemporarySecret = z.infer<typeof temporarySecret>;

export const clientCredentials = z.object({ client_id: z.string(), client_secret: z.string() });
export type ClientCredentials = z.infer<typeof clientCredentials>;

/** Client applications whose users are to be deleted. */
export const deletingClients = z.object({ client_ids: z.array(clientId) });

/** The user of a client for whom a code or an access token is issued. */
export const grantRequest = z.object({ client_id: clientId, service_user_id: serviceUserId });
export const issuedCode = z.object({ code: z.string(), expires_in: z.int() });
export type IssuedCode = z.infer<typeof issuedCode>;
export const issuedAccessToken = z.object({ access_token: z.string() });

/** The maximum number of tokens in one introspection request. */
export const maxTokensPerIntrospection = 100;
export const tokensRequest = z.object({
  tokens: z.array(z.string().min(1).max(512)).min(1).max(maxTokensPerIntrospection),
});

/** An active access token. A token without `service_user_id` belongs to the client itself (SMART Backend Services). */
export const liveToken = z.object({
  active: z.literal(true),
  client_id: clientId,
  service_user_id: serviceUserId.optional(),
  mode: clientMode.describe('Of the client.'),
  scope: z.string(),
  developer: z
    .string()
    .optional()
    .describe('The developer who acts for the client by the token; absent: the client itself acts.'),
  expires_at: z.int().describe('Seconds since the Unix epoch.'),
});
export type LiveToken = z.infer<typeof liveToken>;
export const introspection = z.discriminatedUnion('active', [z.object({ active: z.literal(false) }), liveToken]);
export type Introspection = z.infer<typeof introspection>;
/** The results are in the order of the tokens of the request. */
export const introspections = z.object({ tokens: z.array(introspection) });

/** The Redis channel on which auth publishes revocations to all replicas; a message is a `TokenRevocation` as JSON. */
export const tokenRevocationChannel = 'tributary:token-revocations';
/** All tokens of a user, single tokens, or all tokens of a client. */
export const tokenRevocation = z.union([
  z.object({ service_user_id: serviceUserId }),
  z.object({ token_sha256: z.array(z.string()).min(1) }),
  z.object({ client_id: clientId }),
]);
export type TokenRevocation = z.infer<typeof tokenRevocation>;

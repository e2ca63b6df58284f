import { z } from 'zod';

const jwkSet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

/** One client of the variable SANDBOX_CLIENTS, with the metadata names of RFC 7591. */
export const registeredClient = z
  .object({
    client_id: z.string().min(1),
    client_name: z.string().optional(),
    client_secret: z.string().min(1).optional(),
    token_endpoint_auth_method: z
      .enum(['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'])
      .optional(),
    jwks_uri: z.url().optional(),
    jwks: jwkSet.optional(),
    redirect_uris: z.array(z.string()).min(1),
  })
  .strict();

export type RegisteredClient = z.infer<typeof registeredClient>;

export type AuthenticationMethod = NonNullable<RegisteredClient['token_endpoint_auth_method']>;

/** Whether a client has no credentials (RFC 6749, section 2.1). */
function isPublic(client: RegisteredClient): boolean {
  return client.token_endpoint_auth_method === 'none' || (!client.client_secret && !client.jwks && !client.jwks_uri);
}

/** The authentication methods of a client: the registered one, or each that it has credentials for. */
export function authenticationMethods(client: RegisteredClient): AuthenticationMethod[] {
  if (client.token_endpoint_auth_method) return [client.token_endpoint_auth_method];
  if (isPublic(client)) return ['none'];
  const methods: AuthenticationMethod[] = client.client_secret ? ['client_secret_basic', 'client_secret_post'] : [];
  return client.jwks || client.jwks_uri ? [...methods, 'private_key_jwt'] : methods;
}

/** The clients that exist without configuration. */
export function defaultClients(
  redirectUris: string[],
  secret: string,
  jwksUri: string | undefined,
): RegisteredClient[] {
  return [
    { client_id: 'tributary', client_name: 'Tributary', client_secret: secret, redirect_uris: redirectUris },
    {
      client_id: 'tributary-public',
      client_name: 'Tributary',
      token_endpoint_auth_method: 'none',
      redirect_uris: redirectUris,
    },
    // The secret has every character that percent-encoding changes.
    {
      client_id: 'tributary-odd',
      client_name: 'Tributary',
      client_secret: 'odd+secret/with=all&of %them',
      redirect_uris: redirectUris,
    },
    ...(jwksUri
      ? [
          {
            client_id: 'tributary-jwt',
            client_name: 'Tributary',
            token_endpoint_auth_method: 'private_key_jwt' as const,
            jwks_uri: jwksUri,
            redirect_uris: redirectUris,
          },
        ]
      : []),
  ];
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';

export interface OidcProviderOptions {
  /** The registration of our client at the provider (RFC 7591, section 2). */
  client: Record<string, unknown>;
  announcedMethods: string[];
  signingAlgorithms?: string[];
  /** Whether `offline_access` is enough for a refresh token. OpenID Connect requires `prompt=consent` as well. */
  refreshTokens?: boolean;
  accessTokenSeconds?: number;
}

export interface OauthRequest {
  path: string;
  status: number;
  error?: string;
}

export interface OidcProvider {
  url: string;
  /** The requests to the token and the revocation endpoint. */
  requests(): Promise<OauthRequest[]>;
  close(): Promise<void>;
}

/** Starts a health system whose authorization server is oidc-provider, in a process of its own. */
export async function startOidcProvider({
  client,
  announcedMethods,
  signingAlgorithms = ['RS384', 'ES384'],
  refreshTokens = true,
  accessTokenSeconds = 3600,
}: OidcProviderOptions): Promise<OidcProvider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const child = fork(join(__dirname, 'oidc-provider-process.mjs'), {
    // The provider warns that its storage is for development only.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const message = async <T>(sent: object): Promise<T> => {
    child.send(sent);
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the provider ended with ${code}`)));
    const [response] = (await Promise.race([once(child, 'message'), ended])) as [T];
    return response;
  };
  const { url } = await message<{ url: string }>({
    client: { client_id: 'our-client', response_types: ['code'], ...client },
    announcedMethods,
    signingAlgorithms,
    refreshTokens,
    accessTokenSeconds,
    jwks: { keys: [{ ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256' }] },
  });
  return {
    url,
    requests: async () => (await message<{ log: OauthRequest[] }>({ command: 'log' })).log,
    close: async () => {
      child.disconnect();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

import type { ProtectedResourceMetadata } from '@tributary/contracts';

/** What a bearer token gives access to (RFC 9728): everything at and below its URL. */
export interface ProtectedResource {
  url: string;
  /** The issuer of the tokens. */
  authorizationServer: string;
  scopes: readonly string[];
  name: string;
}

/** The URL of the metadata of a resource: its path is inserted after the well-known path (RFC 9728, section 3.1). */
export function resourceMetadataUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`;
}

export function resourceMetadata({
  url,
  authorizationServer,
  scopes,
  name,
}: ProtectedResource): ProtectedResourceMetadata {
  return {
    resource: url,
    authorization_servers: [authorizationServer],
    scopes_supported: [...scopes],
    bearer_methods_supported: ['header'],
    resource_name: name,
  };
}

/** Adds `resource_metadata` to the challenge in the headers of an error, if there is one (RFC 9728, section 5.1). */
export function withResourceMetadata(
  headers: Readonly<Record<string, string>>,
  url: string,
): Readonly<Record<string, string>> {
  const challenge = headers['WWW-Authenticate'];
  if (!challenge?.startsWith('Bearer ')) return headers;
  return { ...headers, 'WWW-Authenticate': `${challenge}, resource_metadata="${resourceMetadataUrl(url)}"` };
}

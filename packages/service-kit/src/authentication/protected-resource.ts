import type { ProtectedResourceMetadata } from '@tributary/contracts';
import { HttpError } from '../api/http-error';

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

/** Adds `resource_metadata` to the challenge of an error, if it has a Bearer challenge (RFC 9728, section 5.1). */
export function withResourceMetadata(error: unknown, url: string): unknown {
  const challenge = error instanceof HttpError ? error.headers['WWW-Authenticate'] : undefined;
  if (!(error instanceof HttpError) || !challenge?.startsWith('Bearer ')) return error;
  return new HttpError(error.errorCode, error.message, {
    ...error.headers,
    'WWW-Authenticate': `${challenge}, resource_metadata="${resourceMetadataUrl(url)}"`,
  });
}

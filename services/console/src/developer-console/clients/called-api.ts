import type { Role } from '../schemas';

/** The public APIs that a developer can call for a client, by the base URL that they are below. */
export const calledApis = ['base', 'auth', 'analytics'] as const;
export type CalledApi = (typeof calledApis)[number];

/** What takes the credentials of a client. All else needs none, or those of a user. */
const paths: Record<CalledApi, RegExp> = {
  base: /^\/(?:user-management|connect)\/v1\//,
  auth: /^\/client-management\/v1\//,
  analytics: /^\//,
};

/**
 * The address of a call below its base URL, as the browser has sent it: neither decoded nor normalized.
 * @param url of the request
 * @returns path and query; undefined when the API has no such path for clients
 */
export function calledPath(api: CalledApi, url: string): string | undefined {
  const [whole = '', ...rest] = url.split(/(?=\?)/);
  const path = `/${whole.split('/').slice(7).join('/')}`;
  // A gateway could read these as another path.
  if (/\/(?:\.|%2e){1,2}(?:\/|$)|\\|%2f|%5c/i.test(path) || !paths[api].test(path)) return undefined;
  return path + rest.join('');
}

/** The roles that may make a call. Only owners delete the client; read_only members see no data of patients. */
export function rolesFor(api: CalledApi, method: string): readonly Role[] {
  if (api === 'auth' && method === 'DELETE') return ['owner'];
  return method === 'GET' && api !== 'analytics' ? ['owner', 'developer', 'read_only'] : ['owner', 'developer'];
}

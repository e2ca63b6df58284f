import type { ClientMode } from '@tributary/contracts';
import type { Role } from '../schemas';

/** The public APIs that a developer can call for a client, by the base URL that they are below. */
export const calledApis = ['base', 'auth', 'analytics'] as const;
export type CalledApi = (typeof calledApis)[number];

/** What takes the credentials of a client. All else needs none, or those of a user. */
const paths: Record<CalledApi, RegExp> = {
  base: /^\/(?:(?:user-management|connect)\/v1\/|audit\/(?:v1\/usage|r4\/AuditEvent(?:\/[\w.-]+)?)(?:\?|$))/,
  auth: /^\/client-management\/v1\//,
  analytics: /^\//,
};
/** What is only read here. */
const ofReading = /^\/audit\//;
/** Connections and audit events, which name patients. Routers read upper and lower case alike. */
const ofPatients = /^\/(?:audit\/r4|connect\/v1\/connections)(?:[/?]|$)/i;
/** How much of its limits the client has used. */
const ofUsage = /^\/[\w-]+\/v1\/usage(?:\?|$)/;

/** The FHIR requests that count the record of a user by type and year, without its content. */
const ofCounts = /^\/\$counts(?:\?|$)/;

/**
 * The address of a call below its base URL, as the browser has sent it: neither decoded nor normalized.
 * @param url of the request
 * @returns path and query; undefined when the API has no such call for clients
 */
export function calledPath(api: CalledApi, method: string, url: string): string | undefined {
  const target = pathAfter(7, url);
  if (target === undefined || !paths[api].test(target)) return undefined;
  return method === 'GET' || !ofReading.test(target) ? target : undefined;
}

/**
 * The address of a FHIR request below the release, as the browser has sent it.
 * @param url of the request
 * @returns path and query; undefined when developers read no such thing of the users of a client. The data of a test
 * client are synthetic: it connects to test systems only (user-management, `begin-connect.ts`). Of a live client the
 * pages show how much there is. This keeps clinical values off the pages; it does not keep them from developers, who
 * export the records of their clients.
 */
export function calledFhirPath(mode: ClientMode, url: string): string | undefined {
  const target = pathAfter(9, url);
  return target !== undefined && (mode === 'test' || ofCounts.test(target)) ? target : undefined;
}

/** What follows a number of slashes; undefined when a router could read it as another path. */
function pathAfter(slashes: number, url: string): string | undefined {
  const [whole = '', ...rest] = url.split(/(?=\?)/);
  const path = `/${whole.split('/').slice(slashes).join('/')}`;
  return /\/\.{1,2}(?:\/|$)|[\\%]|\/\//.test(path) ? undefined : path + rest.join('');
}

/**
 * The roles that may make a call. Only owners delete the client; read_only members see no data of patients.
 * @param target path and query below the base URL of the API
 */
export function rolesFor(api: CalledApi, method: string, target: string): readonly Role[] {
  if (api === 'auth' && method === 'DELETE') return ['owner'];
  const hasPatients = (api === 'analytics' && !ofUsage.test(target)) || ofPatients.test(target);
  return method === 'GET' && !hasPatients ? ['owner', 'developer', 'read_only'] : ['owner', 'developer'];
}

/** A service behind the gateway. */
export interface Backend {
  /** The name of the service, and of its host in the containers. */
  service:
    | 'user-management'
    | 'fhir-store'
    | 'auth'
    | 'search'
    | 'analytics-export'
    | 'audit-log'
    | 'documentation'
    | 'mcp-server'
    | 'console';
  /**
   * How the gateway reports that the service is unreachable: as an OperationOutcome, or as the JSON of the other APIs.
   */
  errorFormat: 'fhir' | 'json';
  /**
   * The files of a build, whose names have a hash: during a deployment a replica has only those of its own build. When
   * it responds 404, the others are asked.
   */
  files?: 'assets';
}

const userManagement: Backend = { service: 'user-management', errorFormat: 'json' };
const fhirStore: Backend = { service: 'fhir-store', errorFormat: 'fhir' };
const documentation: Backend = { service: 'documentation', errorFormat: 'json' };
const mcpServer: Backend = { service: 'mcp-server', errorFormat: 'json' };
const consolePages: Backend = { service: 'console', errorFormat: 'json' };
const consoleAssets: Backend = { ...consolePages, files: 'assets' };
const auditLog: Backend = { service: 'audit-log', errorFormat: 'fhir' };

/**
 * The public base URLs. Requests to {base_url} go to the backend of their route, those to the others to one backend.
 */
export const publicBackends = {
  auth_url: { service: 'auth', errorFormat: 'json' },
  search_url: { service: 'search', errorFormat: 'json' },
  analytics_url: { service: 'analytics-export', errorFormat: 'fhir' },
} as const satisfies Record<string, Backend>;

export const backends: readonly Backend[] = [
  userManagement,
  fhirStore,
  documentation,
  mcpServer,
  consolePages,
  consoleAssets,
  auditLog,
  ...Object.values(publicBackends),
];

export interface Route {
  /** What the gateway logs of a request to this route; nothing else of its path. */
  name: string;
  /** A regular expression of the path, without the query; JavaScript and PCRE read it alike. */
  path: string;
  backend: Backend;
  /** Whether the service receives what the group of `path` matches in place of the whole path. */
  isRewritten?: boolean;
}

/** The metadata of a protected resource (RFC 9728) comes from the service of the resource. */
const resourceMetadata = '/[.]well-known/oauth-protected-resource';
const openApiDocument = '(/openapi[.]json)';

/** A first segment, alone and with everything below it, and the metadata of both. */
function below(name: string, backend: Backend): Route {
  return { name, path: `^(${resourceMetadata})?/${name.replaceAll('.', '[.]')}(/|$)`, backend };
}

/** The OpenAPI document of a service, which serves it at the root. */
function documentOf(prefix: string, backend: Backend): Route {
  return { name: `${prefix}/openapi.json`, path: `^/${prefix}${openApiDocument}$`, backend, isRewritten: true };
}

/**
 * The routes of {base_url}; the first that matches applies. The OpenAPI document of each service has its own prefix,
 * and that of user-management also stands at the root.
 */
export const routes: readonly Route[] = [
  documentOf('user-management', userManagement),
  documentOf('fhir-store', fhirStore),
  documentOf('audit', auditLog),
  { name: '/connect', path: '^/connect$', backend: consolePages },
  { name: 'connect/pages', path: '^/connect/pages(/|$)', backend: consolePages },
  { name: 'connect/assets', path: '^/connect/assets(/|$)', backend: consoleAssets },
  { name: 'console/assets', path: '^/console/assets(/|$)', backend: consoleAssets },
  { name: 'console', path: '^/console(/|$)', backend: consolePages },
  ...['user-management', 'connect', 'openapi.json'].map((name) => below(name, userManagement)),
  ...['dstu2', 'stu3', 'r4'].map((name) => below(name, fhirStore)),
  { name: '/', path: '^/$', backend: documentation },
  { name: 'docs', path: '^/docs(/|$)', backend: documentation },
  { name: 'llms.txt', path: '^/llms[.]txt$', backend: documentation },
  { name: 'mcp', path: `^(${resourceMetadata})?/mcp$`, backend: mcpServer },
  below('audit', auditLog),
];

/** The path of the gateway's own health check. */
export const healthPath = '/healthz';

/**
 * Finds where a request to {base_url} goes.
 * @param url path and query
 * @returns the backend and the URL that its service receives; undefined when no route matches
 */
export function findRoute(url: string): { backend: Backend; url: string } | undefined {
  const [path = '', ...query] = url.split(/(?=\?)/);
  for (const route of routes) {
    const match = new RegExp(route.path).exec(path);
    if (match)
      return {
        backend: route.backend,
        url: [route.isRewritten ? match[1] : path, ...query].join(''),
      };
  }
  return undefined;
}

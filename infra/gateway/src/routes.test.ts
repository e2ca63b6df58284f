import { findRoute } from './routes';

/** The metadata of a resource is at its own service (RFC 9728). */
function metadataOf(path: string, service: string): [string, string, string] {
  const url = `/.well-known/oauth-protected-resource${path}`;
  return [url, service, url];
}

describe('findRoute', () => {
  it.each([
    ['/user-management/v1/user?limit=3', 'user-management', '/user-management/v1/user?limit=3'],
    ['/connect/system/clinical/7?client_id=a', 'user-management', '/connect/system/clinical/7?client_id=a'],
    ['/connect?client_id=a', 'console', '/connect?client_id=a'],
    ['/connect/pages', 'console', '/connect/pages'],
    ['/connect/pages/connections?x', 'console', '/connect/pages/connections?x'],
    ['/connect/assets/main.js', 'console', '/connect/assets/main.js'],
    ['/console', 'console', '/console'],
    ['/console/clients/1?x', 'console', '/console/clients/1?x'],
    ['/console/assets/main.js', 'console', '/console/assets/main.js'],
    ...['/connect/', '/connect/pagesx', '/connect/assetsx', '/connect/v1/connections'].map(
      (path): [string, string, string] => [path, 'user-management', path],
    ),
    ['/r4/Patient', 'fhir-store', '/r4/Patient'],
    ['/dstu2?_type=Patient', 'fhir-store', '/dstu2?_type=Patient'],
    ['/stu3', 'fhir-store', '/stu3'],
    ['/', 'documentation', '/'],
    ['/docs', 'documentation', '/docs'],
    ['/docs/reference/tokens', 'documentation', '/docs/reference/tokens'],
    ['/llms.txt', 'documentation', '/llms.txt'],
    ['/fhir-store/openapi.json', 'fhir-store', '/openapi.json'],
    ['/mcp', 'mcp-server', '/mcp'],
    ['/audit/r4/AuditEvent', 'audit-log', '/audit/r4/AuditEvent'],
    ['/audit/openapi.json', 'audit-log', '/openapi.json'],
    metadataOf('/audit/r4', 'audit-log'),
    ['/.well-known/oauth-protected-resource/mcp', 'mcp-server', '/.well-known/oauth-protected-resource/mcp'],
    ['/r4/.well-known/smart-configuration', 'fhir-store', '/r4/.well-known/smart-configuration'],
    ...['/r4', '/dstu2'].map((path) => metadataOf(path, 'fhir-store')),
    ...['/connect', '/connect/v1/connections'].map((path) => metadataOf(path, 'user-management')),
    ['/user-management/openapi.json?x', 'user-management', '/openapi.json?x'],
  ])('%s', (url, service, target) => {
    expect(findRoute(url)).toMatchObject({ backend: { service }, url: target });
  });

  it.each([
    '/docsx',
    '/r5/Patient',
    '/r4x',
    '/internal/v1/users',
    '/bulk-data/r4/$export',
    '/connected',
    '/consolex',
    '/.well-known/oauth-protected-resource/console',
    '/healthz',
    '/metrics',
    '/auth/metrics',
    '/mcp/x',
    '/mcpx',
  ])('no route for %s', (url) => {
    expect(findRoute(url)).toBeUndefined();
  });
});

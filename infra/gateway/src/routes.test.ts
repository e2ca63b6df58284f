import { findRoute } from './routes';

describe('findRoute', () => {
  it.each([
    ['/user-management/v1/user?limit=3', 'user-management', '/user-management/v1/user?limit=3'],
    ['/connect/system/clinical/7?client_id=a', 'user-management', '/connect/system/clinical/7?client_id=a'],
    ['/r4/Patient', 'fhir-store', '/r4/Patient'],
    ['/dstu2?_type=Patient', 'fhir-store', '/dstu2?_type=Patient'],
    ['/stu3', 'fhir-store', '/stu3'],
    ['/', 'documentation', '/'],
    ['/docs', 'documentation', '/docs'],
    ['/docs/reference/tokens', 'documentation', '/docs/reference/tokens'],
    ['/llms.txt', 'documentation', '/llms.txt'],
    ['/fhir-store/openapi.json', 'fhir-store', '/openapi.json'],
    ['/mcp', 'mcp-server', '/mcp'],
    ['/.well-known/oauth-protected-resource/mcp', 'mcp-server', '/.well-known/oauth-protected-resource/mcp'],
    ['/user-management/openapi.json?x', 'user-management', '/openapi.json?x'],
  ])('%s', (url, service, target) => {
    expect(findRoute(url)).toEqual({ service, url: target });
  });

  it.each([
    '/docsx',
    '/r5/Patient',
    '/r4x',
    '/internal/v1/users',
    '/bulk-data/r4/$export',
    '/connected',
    '/healthz',
    '/mcp/x',
    '/mcpx',
  ])('no route for %s', (url) => {
    expect(findRoute(url)).toBeUndefined();
  });
});

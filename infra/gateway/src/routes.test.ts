import { findRoute } from './routes';

describe('findRoute', () => {
  it.each([
    ['/user-management/v1/user?limit=3', 'user-management', '/user-management/v1/user?limit=3'],
    ['/connect/system/clinical/7?client_id=a', 'user-management', '/connect/system/clinical/7?client_id=a'],
    ['/r4/Patient', 'fhir-store', '/r4/Patient'],
    ['/dstu2?_type=Patient', 'fhir-store', '/dstu2?_type=Patient'],
    ['/stu3', 'fhir-store', '/stu3'],
    ['/docs', 'user-management', '/docs'],
    ['/docs/start.js', 'user-management', '/docs/start.js'],
    ['/fhir-store/docs/swagger-ui.css', 'fhir-store', '/docs/swagger-ui.css'],
    ['/fhir-store/docs/', 'fhir-store', '/docs/'],
    ['/user-management/openapi.json?x', 'user-management', '/openapi.json?x'],
  ])('%s', (url, service, target) => {
    expect(findRoute(url)).toEqual({ service, url: target });
  });

  it.each(['/', '/r5/Patient', '/r4x', '/internal/v1/users', '/bulk-data/r4/$export', '/connected', '/healthz'])(
    'no route for %s',
    (url) => {
      expect(findRoute(url)).toBeUndefined();
    },
  );
});

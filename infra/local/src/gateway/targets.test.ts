import { isFhirPath, targetOf } from './targets';

const targets = { userManagement: 'http://u', fhirStore: 'http://f' };

describe('targetOf', () => {
  it.each([
    ['/user-management/v1/user?limit=3', 'http://u', '/user-management/v1/user?limit=3'],
    ['/connect/system/clinical/7?client_id=a', 'http://u', '/connect/system/clinical/7?client_id=a'],
    ['/r4/Patient', 'http://f', '/r4/Patient'],
    ['/dstu2?_type=Patient', 'http://f', '/dstu2?_type=Patient'],
    ['/stu3', 'http://f', '/stu3'],
    ['/docs', 'http://u', '/docs'],
    ['/docs/start.js', 'http://u', '/docs/start.js'],
    ['/fhir-store/docs/swagger-ui.css', 'http://f', '/docs/swagger-ui.css'],
    ['/fhir-store/docs/', 'http://f', '/docs/'],
    ['/user-management/openapi.json?x', 'http://u', '/openapi.json?x'],
  ])('%s', (url, origin, target) => {
    expect(targetOf(url, targets)).toEqual({ service: origin, url: target });
  });

  it.each(['/', '/r5/Patient', '/r4x', '/internal/v1/users', '/bulk-data/r4/$export', '/connected', '/healthz'])(
    'nothing at %s',
    (url) => {
      expect(targetOf(url, targets)).toBeUndefined();
    },
  );
});

describe('isFhirPath', () => {
  it('knows the three FHIR bases and that of exports', () => {
    expect(
      ['/bulk-data/r4/$export', '/r4', '/dstu2/Patient', '/stu3?x', '/r4x', '/connect/r4', '/fhir-store/docs'].filter(
        isFhirPath,
      ),
    ).toEqual(['/bulk-data/r4/$export', '/r4', '/dstu2/Patient', '/stu3?x']);
  });
});

import { hintFor } from './near-paths';
import { findRoute } from './routes';

it.each([
  ['/R4', 'did you mean /r4?'],
  ['/R4/Patient', 'did you mean /r4?'],
  ['/User-Management/v1/user', 'did you mean /user-management?'],
  ['/Console/clients', 'did you mean /console?'],
  ['/r5/Patient', 'the releases are /dstu2, /stu3 and /r4'],
  ['/r4b', 'the releases are /dstu2, /stu3 and /r4'],
  ['/Patient/1', 'FHIR is below a release'],
  ['/oauth2/token', 'the token endpoint is {auth_url}/oauth2/token'],
  ['/oauth2/revoke', '{auth_url}/oauth2 is meant'],
  ['/api/search', '{search_url}/api/search'],
  ['/bulk-data/r4/$export', '{analytics_url}/bulk-data/r4/$export'],
])('%s has no route, and a hint', (path, hint) => {
  expect([findRoute(path), hintFor(path)]).toEqual([undefined, expect.stringContaining(hint)]);
});

it.each(['/nothing', '/r4x', '/docsx', '/<script>', '/internal/v1/users'])('%s has none', (path) => {
  expect(hintFor(path)).toBeUndefined();
});

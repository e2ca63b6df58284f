import { http } from '../suite/http';
import { readySuite } from '../suite/ready';

const ready = readySuite();

describe('API documentation', () => {
  it.each([
    ['user management', ready.base_url, '/user-management/v1/user'],
    ['the FHIR store', `${ready.base_url}/fhir-store`, '/{release}/{type}'],
    ['auth', ready.auth_url, '/oauth2/token'],
    ['search', ready.search_url, '/api/search'],
    ['analytics export', ready.analytics_url, '/bulk-data/r4/$export'],
  ])('of %s is served, as OpenAPI and as a page', async (_name, base, path) => {
    const document = await http('GET', `${base}/openapi.json`);
    expect(String(document.json.at('openapi'))).toMatch(/^3\.1/);
    expect(Object.keys(document.json.at('paths') as object).some((known) => known === path || path.includes('{'))).toBe(
      true,
    );
    const page = await http('GET', `${base}/docs`);
    expect([page.status, page.text.includes('swagger-ui')]).toEqual([200, true]);
  });
});

import { createConfig, lintFromString } from '@redocly/openapi-core';
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { http } from '../suite/http';
import { readySuite } from '../suite/ready';

const { base_url, auth_url, search_url, analytics_url } = readySuite();

interface Served {
  base: string;
  /** The paths of FHIR have a parameter for the resource type. */
  isFhir?: true;
}
const documents: [string, Served][] = [
  ['users and connections', { base: base_url }],
  ['tokens', { base: auth_url }],
  ['health systems', { base: search_url }],
  ['bulk export', { base: analytics_url }],
  ['audit events', { base: `${base_url}/audit` }],
  ['FHIR', { base: `${base_url}/fhir-store`, isFhir: true }],
];

/** The operations that a browser is sent to; they respond with a redirect or with an error page. */
const redirects = [
  '/connect/system/clinical/{health_system_id}/get',
  '/connect/callback/get',
  '/connect/callback/{callback}/get',
  '/connect/links/{link}/post',
].map((operation) => `#/paths/${operation.replaceAll('/', '~1').replace(/~1(get|post)$/, '/$1')}/responses`);

/** What Redocly's recommended rules say, except for exceptions with a reason. */
async function redocly(text: string, { isFhir }: Served): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // The suite of this test is served at localhost.
      'no-server-example.com': 'off',
      // FHIR has `/{type}/_history` beside `/Patient/{id}`. An id cannot begin with `_` or `$`.
      ...(isFhir ? { 'no-ambiguous-paths': 'off' as const } : {}),
    },
  });
  const problems = await lintFromString({ source: text, config, absoluteRef: 'openapi.json' });
  return problems
    .map(({ ruleId, message, location }) => ({ ruleId, message, pointer: location[0]?.pointer ?? '' }))
    .filter(({ ruleId, pointer }) => ruleId !== 'operation-2xx-response' || !redirects.includes(pointer))
    .map(({ ruleId, message, pointer }) => `${ruleId} at ${pointer}: ${message}`);
}

/** What Spectral's recommended rules of OpenAPI say. */
async function spectral(text: string): Promise<string[]> {
  const spectral = new Spectral();
  spectral.setRuleset({
    extends: [[oas as RulesetDefinition, 'recommended']],
  });
  const problems = await spectral.run(JSON.parse(text) as Record<string, unknown>);
  return problems.map(({ code, message, path }) => `${code} at ${path.join('/')}: ${message}`);
}

/** They are read first: linting keeps the process busy until the server has closed idle connections. */
const texts = new Map<string, string>();
beforeAll(async () => {
  for (const [, { base }] of documents) texts.set(base, (await http('GET', `${base}/openapi.json`)).text);
});

describe('the OpenAPI documents have no errors and no warnings', () => {
  it.each(documents)('in Redocly and Spectral: %s', async (_, served) => {
    const text = texts.get(served.base) ?? '';
    expect(await redocly(text, served)).toEqual([]);
    expect(await spectral(text)).toEqual([]);
  });
});

describe('the rules report', () => {
  const path = '/api/search';
  const broken = (change: (operation: Record<string, unknown>) => void): string => {
    const document = JSON.parse(texts.get(search_url) ?? '') as {
      paths: Record<string, { post: Record<string, unknown> }>;
    };
    change(document.paths[path]!.post);
    return JSON.stringify(document);
  };

  it('an example that does not fit its schema', async () => {
    const text = broken((operation) => {
      const media = { schema: { type: 'object', properties: { query: { type: 'string' } } }, example: { query: 1 } };
      operation['requestBody'] = { content: { 'application/json': media } };
    });
    expect(await redocly(text, { base: search_url })).toContainEqual(
      expect.stringContaining('no-invalid-media-type-examples at #/paths/~1api~1search/post'),
    );
  });

  it('an operation without description, with an unknown tag', async () => {
    const text = broken((operation) => {
      delete operation['description'];
      operation['tags'] = ['None'];
    });
    expect(await spectral(text)).toEqual([
      expect.stringContaining('operation-description at paths//api/search/post'),
      expect.stringContaining('operation-tag-defined at paths//api/search/post'),
    ]);
  });
});

import { type Handler, type LocalServer, localServer, sendJson } from '../../test/local-server.ts';
import { TributaryError } from '../http/errors.ts';
import { Http } from '../http/http.ts';
import { FhirClient } from './fhir-client.ts';
import type { FhirBundle } from './fhir-types.ts';
import { escapeSearchValue } from './search-parameters.ts';
import { SearchResults } from './search-results.ts';

describe('the FHIR client', () => {
  let server: LocalServer;
  let answer: Handler;
  let fhir: FhirClient<'r4'>;
  beforeEach(async () => {
    server = await localServer((request, response) => answer(request, response));
    fhir = new FhirClient(new Http({}), server.url, 'r4');
  });
  afterEach(() => server.close());

  it('follows the pages of a search as far as they are needed', async () => {
    answer = ({ url }, response) => {
      const page = Number(new URL(url!, server.url).searchParams.get('page') ?? 1);
      sendJson(response, 200, {
        resourceType: 'Bundle',
        total: 6,
        entry: [
          { resource: { resourceType: 'Condition', id: `${page}a` }, search: { mode: 'match' } },
          { resource: { resourceType: 'OperationOutcome' }, search: { mode: 'outcome' } },
          { resource: { resourceType: 'Condition', id: `${page}b` }, search: { mode: 'match' } },
        ],
        link: page < 3 ? [{ relation: 'next', url: `${server.url}/r4/Condition?page=${page + 1}` }] : [],
      });
    };
    const found = fhir.search('Condition', { code: ['a', 'b'], date: new Date(0), _count: 2, 'status:not': undefined });
    expect((await found.toArray()).map(({ id }) => id)).toEqual(['1a', '1b', '2a', '2b', '3a', '3b']);
    expect(server.requests[0]).toBe('GET /r4/Condition?code=a&code=b&date=1970-01-01T00%3A00%3A00.000Z&_count=2');
    expect(server.requests).toHaveLength(3);
    expect((await found.first())?.id).toBe('1a');
    expect((await found.summary()).total).toBe(6);
    expect(server.requests).toHaveLength(5);
  });

  it('returns at most as many resources as the limit says, and reads no page behind them', async () => {
    answer = (_request, response) => {
      const { length } = server.requests;
      sendJson(response, 200, {
        resourceType: 'Bundle',
        entry: ['a', 'b'].map((id) => ({ resource: { resourceType: 'Condition', id }, search: { mode: 'match' } })),
        link: length % 3 === 0 ? [] : [{ relation: 'next', url: `${server.url}/r4/Condition?page=${length + 1}` }],
      });
    };
    const found = fhir.search('Condition');
    const read = async (limit?: number): Promise<number[]> => {
      server.requests.length = 0;
      return [(await found.toArray({ limit })).length, server.requests.length];
    };
    expect(await read(0)).toEqual([0, 0]);
    expect(await read(2.5)).toEqual([2, 1]);
    expect(await read(2)).toEqual([2, 1]);
    expect(await read(5)).toEqual([5, 3]);
    expect(await read(7)).toEqual([6, 3]);
    expect(await read(Infinity)).toEqual([6, 3]);
    expect(await read()).toEqual([6, 3]);
    await expect(read(-1)).rejects.toThrow('limit must be at least 0');
    await expect(read(Number.NaN)).rejects.toThrow('limit must be at least 0');
  });

  it('does not collect resources without end when no limit is given', async () => {
    const entry = Array.from({ length: 1000 }, () => ({
      resource: { resourceType: 'Basic' },
      search: { mode: 'match' },
    }));
    let pages = 0;
    const results = new SearchResults(async () => {
      pages++;
      return {
        resourceType: 'Bundle',
        type: 'searchset',
        entry,
        link: [{ relation: 'next', url: 'x' }],
      } as FhirBundle<'r4'>;
    });
    const failure = await results.toArray().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TributaryError);
    expect(String(failure)).toContain('there are more than 100000 resources: iterate the results, or give');
    expect(pages).toBe(101);
    expect(await results.toArray({ limit: 100_001 })).toHaveLength(100_001);
  });

  it('yields what _include brings, and tells the types by the parameters', async () => {
    answer = (_request, response) =>
      sendJson(response, 200, {
        resourceType: 'Bundle',
        entry: [
          { resource: { resourceType: 'Condition', id: 'c' }, search: { mode: 'match' } },
          { resource: { resourceType: 'Patient', id: 'p', birthDate: '1984-03-09' }, search: { mode: 'include' } },
        ],
      });
    const seen: unknown[] = [];
    for await (const found of fhir.search('Condition', { _include: 'Condition:subject' }))
      seen.push(found.resourceType === 'Patient' ? found.birthDate : found.id);
    expect(seen).toEqual(['c', '1984-03-09']);
    const [condition] = await fhir.search('Condition', { code: 'x' }).toArray();
    expect(condition?.code).toBeUndefined();
  });

  it('reads everything of a patient, and the latest observations', async () => {
    answer = (_request, response) =>
      sendJson(response, 200, {
        resourceType: 'Bundle',
        entry: [{ resource: { resourceType: 'Observation', id: 'o', status: 'final' }, search: { mode: 'match' } }],
      });
    const everything = fhir.everything('p/1', { _type: 'Observation', _since: new Date(0) });
    expect((await everything.toArray()).map(({ resourceType }) => resourceType)).toEqual(['Observation']);
    expect((await fhir.lastn({ patient: '1', category: 'laboratory', max: 3 }).first())?.status).toBe('final');
    await fhir.lastn().toArray();
    expect(server.requests).toEqual([
      'GET /r4/Patient/p%2F1/$everything?_type=Observation&_since=1970-01-01T00%3A00%3A00.000Z',
      'GET /r4/Observation/$lastn?patient=1&category=laboratory&max=3',
      'GET /r4/Observation/$lastn',
    ]);
  });

  it('counts resources by type and year', async () => {
    const type = { name: 'type', valueCode: 'Condition' };
    const counted = [
      { name: 'count', part: [type, { name: 'year', valueInteger: 2026 }, { name: 'value', valueInteger: 3 }] },
      { name: 'count', part: [type, { name: 'value', valueInteger: 1 }] },
    ];
    let accept: string | undefined;
    answer = ({ headers, url }, response) => {
      accept = headers.accept;
      const isEmpty = url?.includes('newest');
      sendJson(response, 200, { resourceType: 'Parameters', ...(isEmpty ? {} : { parameter: counted }) });
    };
    expect(await fhir.counts()).toEqual([
      { type: 'Condition', year: 2026, count: 3 },
      { type: 'Condition', count: 1 },
    ]);
    const older = new FhirClient(new Http({}), server.url, 'stu3', { as: 'r4' });
    expect(await older.counts({ _releasePerSource: 'newest' })).toEqual([]);
    // The counts are not converted.
    expect(accept).toBe('application/fhir+json');
    expect(server.requests).toEqual(['GET /r4/$counts', 'GET /stu3/$counts?_releasePerSource=newest']);
  });

  it('sends a long search in a body, strictly unless asked otherwise', async () => {
    const seen: string[] = [];
    answer = ({ headers, text }, response) => {
      seen.push(`${String(headers['prefer'])} ${text.length}`);
      sendJson(response, 200, { resourceType: 'Bundle' });
    };
    await fhir.search('Observation', { code: 'x'.repeat(3000) }).toArray();
    await fhir.search('Observation', {}, { handling: 'lenient' }).toArray();
    expect(server.requests).toEqual(['POST /r4/Observation/_search', 'GET /r4/Observation']);
    expect(seen).toEqual(['handling=strict 3005', 'handling=lenient 0']);
  });

  it('sends the credentials of a user to no other address', async () => {
    answer = (_request, response) =>
      sendJson(response, 200, {
        resourceType: 'Bundle',
        link: [{ relation: 'next', url: 'https://evil.example/r4/x' }],
      });
    await expect(fhir.search('Patient').toArray()).rejects.toThrow('credentials are sent to');
    expect(() => fhir.binary('https://evil.example/Binary/1')).toThrow('credentials are sent to');
  });

  it('names conditions of writes', async () => {
    const seen: unknown[] = [];
    answer = ({ headers, method }, response) => {
      seen.push([method, headers['if-match'] ?? headers['if-none-exist'], headers['content-type']]);
      sendJson(response, 200, { resourceType: 'Patient', id: '1' });
    };
    await fhir.create({ resourceType: 'Patient' }, { ifNoneExist: 'identifier=a|1' });
    await fhir.update({ resourceType: 'Patient', id: '1' }, { ifMatch: '3' });
    await fhir.patch('Patient', '1', [{ op: 'remove', path: '/gender' }], { ifMatch: '4' });
    expect(seen).toEqual([
      ['POST', 'identifier=a|1', 'application/fhir+json'],
      ['PUT', 'W/"3"', 'application/fhir+json'],
      ['PATCH', 'W/"4"', 'application/json-patch+json'],
    ]);
  });

  it.each([
    ['in its media type', 'text/plain', 'a note'],
    ['in FHIR JSON of R4', 'application/fhir+json', { contentType: 'text/plain', data: btoa('a note') }],
    ['in FHIR JSON of DSTU2', 'application/json+fhir', { contentType: 'text/plain', content: btoa('a note') }],
  ])('reads a Binary %s', async (_case, type, body) => {
    const content = typeof body === 'string' ? body : JSON.stringify({ resourceType: 'Binary', ...body });
    answer = (_request, response) => void response.writeHead(200, { 'Content-Type': type }).end(content);
    const binary = await fhir.binary('Binary/b1');
    expect([binary.headers.get('content-type'), await binary.text()]).toEqual(['text/plain', 'a note']);
    expect(server.requests).toEqual(['GET /r4/Binary/b1']);
  });

  it('escapes values of parameters', () => {
    expect(escapeSearchValue(String.raw`a,b|c$d\e`)).toBe(String.raw`a\,b\|c\$d\\e`);
  });
});

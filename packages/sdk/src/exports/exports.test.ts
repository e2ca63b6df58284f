import { gzipSync } from 'node:zlib';
import { waitUntil } from '@tributary/test-environment';
import type { ExportedFile } from '../api-types.ts';
import { ApiError, IncompleteDownloadError } from '../http/errors.ts';
import { Http } from '../http/http.ts';
import { type Handler, type LocalServer, localServer, sendJson } from '../../test/local-server.ts';
import { Exports } from './exports.ts';

describe('exports', () => {
  let server: LocalServer;
  let answer: Handler;
  let exports: Exports;
  beforeEach(async () => {
    server = await localServer((request, response) => answer(request, response));
    exports = new Exports(new Http({}), server.url, { firstPauseMs: 10 });
  });
  afterEach(() => server.close());

  const file = (name: string, count: number): ExportedFile => ({
    type: 'Observation',
    url: `${server.url}/bulk-data/r4/$export/Observation/${name}.ndjson`,
    count,
    extension: { fhirVersion: 'r4' },
  });
  const lines = (count: number): string =>
    Array.from(
      { length: count },
      (_, n) => `${JSON.stringify({ resourceType: 'Observation', id: String(n), note: 'Zoë' })}\n`,
    ).join('');

  it('send their parameters as the guide spells them', async () => {
    answer = (_request, response) => sendJson(response, 200, { output: [] });
    await exports.export({ _type: ['Patient', 'Condition'], _since: new Date('2026-01-02T03:04:05Z') });
    expect(decodeURIComponent(server.requests[0]!)).toBe(
      'GET /bulk-data/r4/$export?_type=Patient,Condition&_since=2026-01-02T03:04:05.000Z',
    );
  });

  it.each(['export', 'start'] as const)('send patients in a body (%s)', async (call) => {
    const seen: unknown[] = [];
    answer = ({ headers, text }, response) => {
      seen.push([headers['content-type'], headers['prefer'], text === '' ? undefined : JSON.parse(text)]);
      sendJson(response, 200, {}, { 'Content-Location': `${server.url}/bulk-data/r4/$export-status/1` });
    };
    const reference = (id: string): object => ({ name: 'patient', valueReference: { reference: `Patient/${id}` } });
    await exports[call]({ patient: 'p1' });
    await exports[call]({
      patient: ['p1', 'Patient/p2'],
      _type: ['Condition', 'Observation'],
      _since: new Date('2026-01-02T03:04:05Z'),
      _outputFormat: 'application/fhir+ndjson;fhirVersion=4.0',
      _releasePerSource: 'newest',
    });
    const prefer = call === 'start' ? 'respond-async' : undefined;
    expect(server.requests).toEqual(['POST /bulk-data/r4/$export', 'POST /bulk-data/r4/$export']);
    expect(seen).toEqual([
      ['application/fhir+json', prefer, { resourceType: 'Parameters', parameter: [reference('p1')] }],
      [
        'application/fhir+json',
        prefer,
        {
          resourceType: 'Parameters',
          parameter: [
            { name: '_type', valueString: 'Condition,Observation' },
            { name: '_since', valueString: '2026-01-02T03:04:05.000Z' },
            { name: '_outputFormat', valueString: 'application/fhir+ndjson;fhirVersion=4.0' },
            { name: '_releasePerSource', valueString: 'newest' },
            reference('p1'),
            reference('p2'),
          ],
        },
      ],
    ]);
  });

  it('repeat a POST that returns a manifest, and none that would start another export', async () => {
    exports = new Exports(new Http({ maxRetryDelayMs: 1 }), server.url);
    answer = (_request, response) => sendJson(response, server.requests.length % 2 === 1 ? 502 : 200, { output: [] });
    expect(await exports.export({ patient: 'p1' })).toEqual({ output: [] });
    await expect(exports.start({ patient: 'p1' })).rejects.toMatchObject({ status: 502 });
    expect(server.requests).toHaveLength(3);
  });

  it.each(['export', 'start'] as const)('refuse an empty list of patients, which would be all (%s)', async (call) => {
    await expect(exports[call]({ patient: [] })).rejects.toThrow('patient is an empty list');
    expect(server.requests).toEqual([]);
  });

  it('report progress and end with the manifest or the error', async () => {
    const statusPath = '/bulk-data/r4/$export-status/1';
    let polls = 0;
    answer = ({ url }, response) => {
      if (url !== statusPath)
        return void response.writeHead(202, { 'Content-Location': server.url + statusPath }).end();
      if (++polls < 3)
        return void response.writeHead(202, { 'X-Progress': `${polls}0% done`, 'Retry-After': '0' }).end();
      sendJson(response, polls === 3 ? 200 : 404, { output: [] });
    };
    const job = await exports.start();
    const progress: (string | undefined)[] = [];
    expect(await job.wait({ onProgress: (text) => progress.push(text) })).toEqual({ output: [] });
    expect(progress).toEqual(['10% done', '20% done']);
    await expect(exports.job(job.statusUrl).wait()).rejects.toThrow(ApiError);
  });

  it('are listed in pages, and continued by their address', async () => {
    const entries = Array.from({ length: 101 }, (_, n) => ({
      status_url: `${server.url}/bulk-data/r4/$export-status/${n}`,
    }));
    answer = ({ url }, response) => {
      const offset = Number(new URL(url ?? '', server.url).searchParams.get('offset'));
      sendJson(response, 200, { total: 101, offset, limit: 100, entry: entries.slice(offset, offset + 100) });
    };
    const urls: string[] = [];
    for await (const { status_url } of exports.list()) urls.push(exports.job(status_url).statusUrl);
    expect(urls).toEqual(entries.map(({ status_url }) => status_url));
    expect(server.requests).toEqual(
      [0, 100].map((offset) => `GET /bulk-data/r4/$export-status?offset=${offset}&limit=100`),
    );
  });

  it('yield every resource of all files, with a bounded number of downloads at a time', async () => {
    let started = 0;
    let ended = 0;
    let mostOpen = 0;
    const counted: typeof fetch = (...parameters) => {
      mostOpen = Math.max(mostOpen, ++started - ended);
      return fetch(...parameters);
    };
    exports = new Exports(new Http({ fetch: counted }), server.url);
    const held: (() => void)[] = [];
    answer = (_request, response) => {
      const bytes = gzipSync(lines(1000));
      response.writeHead(200, { 'Content-Encoding': 'gzip' });
      response.write(bytes.subarray(0, 100));
      held.push(() => response.end(bytes.subarray(100)));
      // Three responses are open at a time, and the last one alone.
      if (held.length < 3 && server.requests.length < 7) return;
      ended += held.length;
      for (const end of held.splice(0)) end();
    };
    const output = Array.from({ length: 7 }, (_, n) => file(`f${n}`, 1000));
    const seen = new Set<string>();
    const progress: number[] = [];
    for await (const { resource, file: from } of exports.resources(
      { output },
      { concurrency: 3, onProgress: ({ lines: n }) => progress.push(n) },
    ))
      seen.add(`${from.url} ${resource.id}`);
    expect(seen.size).toBe(7000);
    expect(progress.at(-1)).toBe(7000);
    expect(mostOpen).toBe(3);
  });

  it.each([0, -1, Number.NaN])('reject %d downloads at a time', async (concurrency) => {
    const resources = exports.resources({ output: [file('a', 10)] }, { concurrency });
    await expect(resources.next()).rejects.toThrow(RangeError);
    expect(server.requests).toEqual([]);
  });

  it('resume a download as often as it breaks off after new lines, without a repeated or lost line', async () => {
    const text = lines(500);
    let breakOff = (): void => undefined;
    answer = (_request, response) => {
      const { length } = server.requests;
      response.writeHead(200);
      if (length > 6) return void response.end(text);
      // Ends in the middle of a line.
      response.write(text.slice(0, lines(70 * length).length + 10));
      breakOff = () => response.destroy();
    };
    const ids: string[] = [];
    for await (const line of exports.lines(file('broken', 500))) {
      ids.push((JSON.parse(line) as { id: string }).id);
      if (ids.length % 70 === 0) breakOff();
    }
    expect(ids).toEqual(Array.from({ length: 500 }, (_, n) => String(n)));
    expect(server.requests).toHaveLength(7);
  });

  it('report a file that has fewer lines than the manifest says', async () => {
    answer = (_request, response) => void response.end(lines(9));
    const read = async (): Promise<number> => {
      let count = 0;
      for await (const _line of exports.lines(file('short', 10))) count++;
      return count;
    };
    await expect(read()).rejects.toThrow(IncompleteDownloadError);
  });

  it('stop downloads when the reader leaves', async () => {
    let closed = 0;
    answer = (_request, response) => {
      response.on('close', () => closed++);
      response.write(lines(10));
    };
    for await (const _resource of exports.resources({ output: [file('a', 10), file('b', 10)] })) break;
    await waitUntil(() => closed === 2);
  });

  it('send credentials to the bulk export only', async () => {
    const foreign = { ...file('x', 1), url: 'https://evil.example/bulk-data/r4/x.ndjson' };
    await expect(exports.lines(foreign).next()).rejects.toThrow(TypeError);
    expect(() => exports.job(`${server.url}/elsewhere`)).toThrow(TypeError);
  });
});

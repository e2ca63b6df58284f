import express from 'express';
import request from 'supertest';
import { compressJson, contentEncodingOf } from './compression';

describe('contentEncodingOf', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP;Q=0.5 , BR;q=0.2', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
    ['*;q=0.1, br;q=0', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=0.8', 'gzip'],
    ['deflate', undefined],
    ['br;q=zebra', undefined],
  ])('of %j is %s', (header, encoding) => {
    expect(contentEncodingOf(header, 10_000)).toBe(encoding);
    expect(contentEncodingOf(header, 10_000)).toBe(encoding);
  });

  it('is undefined for a body that fits into one segment', () => {
    expect(contentEncodingOf('br', 1000)).toBeUndefined();
  });
});

describe('compressed JSON', () => {
  const small = { text: 'x' };
  const medium = { list: Array.from({ length: 500 }, (_, index) => ({ index, text: 'abcdefgh' })) };
  const large = { list: Array.from({ length: 20_000 }, (_, index) => ({ index, text: 'abcdefgh' })) };
  const app = express()
    .disable('etag')
    .use(compressJson)
    .get('/small', (_request, response) => void response.json(small))
    .get('/medium', (_request, response) => void response.json(medium))
    .get('/large', (_request, response) => void response.json(large))
    .get('/fhir', (_request, response) => void response.type('application/fhir+json').send(JSON.stringify(medium)))
    .get('/page', (_request, response) => void response.type('html').send('<p>'.repeat(1000)))
    .get('/coded', (_request, response) => {
      response.set({ 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' }).send(Buffer.alloc(5000));
    })
    .get('/stream', (_request, response) => {
      response.type('json').write('[');
      response.end(`${'1,'.repeat(5000)}1]`);
    });
  const bytesOf = (path: string, encoding: string): request.Test =>
    request(app)
      .get(path)
      .set('Accept-Encoding', encoding)
      .buffer(true)
      .parse((response, done) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(Buffer.from(chunk)));
        response.on('end', () => done(null, Buffer.concat(chunks)));
      });

  it.each([
    ['/medium', medium],
    ['/large', large],
    ['/fhir', medium],
  ])('decompresses to the body of %s', async (path, content) => {
    // supertest decompresses; the length is that of the compressed body.
    const { headers, body } = await bytesOf(path, 'br');
    expect([headers['content-encoding'], headers['vary']]).toEqual(['br', 'Accept-Encoding']);
    expect(Number(headers['content-length'])).toBeLessThan((body as Buffer).length / 5);
    expect(JSON.parse(String(body))).toEqual(content);
    const plain = await request(app).get(path).set('Accept-Encoding', 'identity');
    expect([plain.headers['content-encoding'], plain.headers['vary']]).toEqual([undefined, 'Accept-Encoding']);
    const gzipped = await bytesOf(path, 'gzip');
    expect([gzipped.headers['content-encoding'], JSON.parse(String(gzipped.body))]).toEqual(['gzip', content]);
  });

  it('leaves small, coded and streamed bodies and other types as they are', async () => {
    for (const path of ['/small', '/page', '/stream']) {
      const { headers } = await bytesOf(path, 'br, gzip');
      expect([path, headers['content-encoding']]).toEqual([path, undefined]);
    }
    const { headers, body } = await request(app).head('/coded').set('Accept-Encoding', 'br');
    expect([headers['content-encoding'], headers['content-length'], body]).toEqual(['gzip', '5000', {}]);
  });

  it('announces the coding to HEAD without a length', async () => {
    const { headers } = await request(app).head('/medium').set('Accept-Encoding', 'gzip');
    expect([headers['content-encoding'], headers['content-length']]).toEqual(['gzip', undefined]);
  });
});

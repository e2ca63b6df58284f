import type { IncomingMessage } from 'node:http';
import { isNativeRequested, nativeHead } from './native-content';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

it.each([
  [undefined, 'application/pdf'],
  ['', 'application/pdf'],
  ['*/*', 'application/pdf'],
  ['*/*', undefined],
  [browser, 'application/pdf'],
  ['application/pdf', 'application/pdf'],
  ['APPLICATION/PDF', 'application/pdf; version=1.7'],
  ['application/*', 'application/pdf'],
  ['image/*;q=0.5, application/fhir+json;q=0.1', 'image/png'],
  ['application/fhir+json;q=0.5, */*', 'application/pdf'],
  ['application/fhir+xml, */*;q=0.1', 'text/plain'],
  ['application/octet-stream', 'not a media type'],
])('Accept: %s requests %s as it is', (accept, contentType) => {
  expect(isNativeRequested(accept, contentType)).toBe(true);
});

it.each([
  ['application/fhir+json', 'application/pdf'],
  ['application/json', 'application/json'],
  ['application/json+fhir', 'text/plain'],
  ['application/fhir+json, */*; q=0.1', 'application/pdf'],
  ['application/json, text/plain, */*', 'text/plain'],
  ['application/fhir+json; fhirVersion=4.0', 'text/plain'],
  ['json', 'text/plain'],
  ['image/png', 'application/pdf'],
  ['application/*', 'text/plain'],
  ['application/pdf;q=0, */*;q=0', 'application/pdf'],
])('Accept: %s does not request %s as it is', (accept, contentType) => {
  expect(isNativeRequested(accept, contentType)).toBe(false);
});

const head = (
  content: { contentType?: string | undefined; securityContext?: string; length?: number },
  headers: Record<string, string> = {},
): { status: number; start: number; end: number; headers: Record<string, string> } => {
  const found = nativeHead({ headers } as unknown as IncomingMessage, {
    id: 'b1',
    contentType: undefined,
    securityContext: undefined,
    length: 100,
    ...content,
  });
  const pairs = found.headers.flatMap((name, at) => (at % 2 === 0 ? [[name, found.headers[at + 1]]] : []));
  return { ...found, headers: Object.fromEntries(pairs) as Record<string, string> };
};

it('sends content as a file that a browser neither opens as a page nor takes for another type', () => {
  expect(head({ contentType: 'text/html; charset=utf-8' })).toMatchObject({
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Disposition': 'attachment; filename="Binary-b1.html"',
      'Content-Security-Policy': expect.stringMatching(/^sandbox;/),
      'X-Content-Type-Options': 'nosniff',
      'Content-Length': '100',
    },
  });
});

it.each([undefined, '', 'pdf', 'text/plain\r\nSet-Cookie: a=b', 'text/plain; charset="\n"', 'té/xt'])(
  'replaces %j, which is no media type',
  (contentType) => {
    const { headers } = head({ contentType });
    expect(headers['Content-Type']).toBe('application/octet-stream');
    expect(headers['Content-Disposition']).toBe('attachment; filename="Binary-b1"');
  },
);

it('names the security context, unless a header cannot carry it', () => {
  expect(head({ securityContext: 'Patient/1' }).headers['X-Security-Context']).toBe('Patient/1');
  expect(head({ securityContext: 'Patient/1\r\nX: y' }).headers['X-Security-Context']).toBeUndefined();
});

it.each([
  ['bytes=0-0', 0, 1],
  ['bytes=10-19', 10, 20],
  ['bytes=90-', 90, 100],
  ['bytes=90-200', 90, 100],
  ['bytes=-5', 95, 100],
  ['bytes=-500', 0, 100],
])('sends the range %s', (range, start, end) => {
  expect(head({}, { range })).toMatchObject({
    status: 206,
    start,
    end,
    headers: { 'Content-Range': `bytes ${start}-${end - 1}/100`, 'Content-Length': String(end - start) },
  });
});

it.each(['bytes=100-', 'bytes=20-10', 'bytes=-0', 'bytes=-', 'bytes=0-1,5-6', 'lines=1-2', 'bytes=a-b'])(
  'ignores the range %s',
  (range) => {
    const whole = head({}, { range });
    expect([whole.status, whole.start, whole.end]).toEqual([200, 0, 100]);
    expect(whole.headers['Content-Range']).toBeUndefined();
  },
);

it('ignores a range with If-Range', () => {
  expect(head({}, { range: 'bytes=0-9', 'if-range': 'W/"1"' }).status).toBe(200);
});

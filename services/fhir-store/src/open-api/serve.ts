import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { isRelease } from '@tributary/fhir-definitions';
import { type Api, HttpError, anyone } from '@tributary/service-kit';
import { z } from 'zod';
import { fhirDocument } from './document';

interface RenderedDocument {
  etag: string;
  bodies: Record<'br' | 'gzip' | 'identity', Buffer>;
}

/**
 * Serves `GET /{release}/openapi.json`. A document is built with the first request for it, and kept with its compressed
 * forms.
 */
export function serveDocuments(api: Api, baseUrl: string): void {
  const rendered = new Map<string, RenderedDocument>();
  api.route(
    {
      method: 'get',
      path: '/{release}/openapi.json',
      operationId: 'getFhirDocument',
      summary: 'The OpenAPI document of a FHIR release',
      authentication: anyone,
      params: z.object({ release: z.string() }),
      responses: { 200: { description: 'OpenAPI 3.1.', schema: z.looseObject({}) } },
    },
    ({ params: { release }, request, response }) => {
      if (!isRelease(release)) throw new HttpError('not_found', 'there is nothing at this address');
      const known = rendered.get(release) ?? render(JSON.stringify(fhirDocument(release, baseUrl)));
      rendered.set(release, known);
      const encoding = request.acceptsEncodings('br', 'gzip', 'identity') as 'br' | 'gzip' | 'identity' | false;
      response.vary('Accept-Encoding').set({ 'Cache-Control': 'public, max-age=3600', ETag: known.etag });
      if (request.get('if-none-match') === known.etag) {
        response.status(304).end();
        return undefined;
      }
      if (encoding === 'br' || encoding === 'gzip') response.set('Content-Encoding', encoding);
      response.type('application/json').send(known.bodies[encoding || 'identity']);
      return undefined;
    },
  );
}

function render(text: string): RenderedDocument {
  const identity = Buffer.from(text);
  const digest = createHash('sha256').update(identity).digest('base64url').slice(0, 22);
  return {
    etag: `W/"${digest}"`,
    bodies: {
      identity,
      gzip: gzipSync(identity, { level: 9 }),
      br: brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    },
  };
}

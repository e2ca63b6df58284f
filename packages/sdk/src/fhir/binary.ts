import type { CallOptions, Http } from '../http/http.ts';

/**
 * Reads a Binary. A response in FHIR JSON is decoded: a service returns it for content that is FHIR JSON itself, too.
 */
export async function readBinary(http: Http, url: string, options?: CallOptions): Promise<Response> {
  const response = await http.open(
    { method: 'GET', url, headers: { Accept: 'application/octet-stream;q=0.9, */*;q=0.8' } },
    options,
  );
  if (!/^application\/(?:fhir\+json|json\+fhir)/.test(response.headers.get('content-type') ?? '')) return response;
  const text = await response.text();
  const content = binaryContent(text);
  return content ?? new Response(text, response);
}

/** The content of a Binary resource: `content` in DSTU2 and STU3, `data` in R4. */
function binaryContent(text: string): Response | undefined {
  const resource = JSON.parse(text) as { resourceType?: string; contentType?: string; content?: string; data?: string };
  if (resource.resourceType !== 'Binary') return undefined;
  const base64 = resource.data ?? resource.content ?? '';
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Response(bytes, { headers: { 'Content-Type': resource.contentType ?? 'application/octet-stream' } });
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientSignal } from '@tributary/service-kit';
import type { FhirRequest } from '../fhir-http/fhir-request';
import type { FhirResponse } from '../fhir-http/fhir-response';
import { LongWorkError } from '../fhir-http/long-work';
import { pageParameter } from '../fhir-http/page-tokens';
import type { LongWorkThread } from '../long-work/long-work-thread';
import type { Route } from '../routing/routes';

/** A body of this size, in bytes, is parsed and validated in a few milliseconds. */
const shortBody = 16 * 1024;
/** A page of so many resources is read and written in a few milliseconds. */
const shortPage = 100;
/** The routes that parse a stored resource, or read many. */
const longRoute = /(?:\$validate|\$meta(?:-add|-delete)?|\$everything|\$lastn|_history)$/;

/** A request whose route is known. */
export interface RoutedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly route: Route;
  /** The path below the release, with types of the release. */
  readonly segments: readonly string[];
  readonly clientId: string;
  /** Whether the request changes nothing. */
  readonly isSafe: boolean;
}

/** Carries out a request: in the thread, if there is one and the work can take long. */
export async function carryOut(
  thread: LongWorkThread | undefined,
  fhirRequest: FhirRequest,
  { request, response, requestId, route, segments, clientId, isSafe }: RoutedRequest,
): Promise<FhirResponse> {
  // A body that is uploaded while it is read cannot be sent to the thread; what is left of it takes little work.
  if (!thread || route.isPublic || fhirRequest.uploaded) return route.run(fhirRequest);
  if (!canTakeLong(request, route, fhirRequest.query, isSafe)) {
    try {
      return await route.run(fhirRequest);
    } catch (error) {
      if (!(error instanceof LongWorkError)) throw error;
    }
  }
  const { release, responseRelease, headers, contentType, fullContentType, contentLimits, record, mayWrite, native } =
    fhirRequest;
  const { method = 'GET' } = request;
  return thread.run(
    {
      method,
      hasBody: hasBody(request),
      release,
      responseRelease,
      segments,
      search: fhirRequest.query.toString(),
      headers,
      contentType,
      fullContentType,
      contentLimits,
      serviceUserId: record.userId,
      clientId,
      mayWrite,
      isSafe,
      requestId,
      native,
    },
    {
      bytes: fhirRequest.bytes,
      countEntries: async (routes) => fhirRequest.countEntries?.(routes),
      signal: clientSignal(response),
    },
  );
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Whether the work can grow with a body, with a stored resource that is changed, or with the size of a page. A link to
 * another page does not tell its size.
 */
function canTakeLong(
  { method, headers }: IncomingMessage,
  { name }: Route,
  query: URLSearchParams,
  isSafe: boolean,
): boolean {
  // Criteria are decided on the content of candidates.
  if (!isSafe && (query.size > 0 || headers['if-none-exist'] !== undefined)) return true;
  if (query.size > 0 && (query.has(pageParameter) || Number(query.get('_count')) > shortPage)) return true;
  if (method === 'PATCH' || (method === 'POST' && name === '') || longRoute.test(name)) return true;
  const hasUnknownSize = headers['content-encoding'] !== undefined || headers['transfer-encoding'] !== undefined;
  return hasUnknownSize || Number(headers['content-length'] ?? 0) > shortBody;
}

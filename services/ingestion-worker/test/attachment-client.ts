import { HealthSystemClient } from '../src/health-system/health-system-client';
import { HostRequestLimiter } from '../src/health-system/host-request-limiter';
import { healthSystemHttp } from '../src/health-system/http';
import type { AccessTokenProvider } from '../src/health-system/access-token-provider';
import { ResponseMemoryBudget } from '../src/health-system/response-memory-budget';

export interface AttachmentClient {
  client: HealthSystemClient;
  responseMemory: ResponseMemoryBudget;
}

/** A client of a health system on this machine, with one request at a time and an access token that never expires. */
export function attachmentClient(
  fhirBaseUrl: string,
  signal: AbortSignal = new AbortController().signal,
): AttachmentClient {
  const access = { access_token: 'token', token_id: 'id' };
  const responseMemory = new ResponseMemoryBudget(96_000_000);
  const client = new HealthSystemClient({
    connectionId: 'connection',
    fhirBaseUrl,
    release: 'r4',
    searchParameters: {},
    probeUrl: `${fhirBaseUrl}/Patient/p`,
    http: healthSystemHttp(true),
    token: { get: () => Promise.resolve(access), newest: access } as unknown as AccessTokenProvider,
    limiter: new HostRequestLimiter({ perHost: 1, overall: 1 }),
    responseMemory,
    retryPolicy: {
      maxThrottledRequests: 2,
      maxFailedRequests: 2,
      maxTimedOutRequests: 2,
      idleTimeoutMs: 60_000,
      firstPauseMs: 1,
      maxPauseMs: 1,
      maxRetryAfterMs: 1,
    },
    signal,
  });
  return { client, responseMemory };
}

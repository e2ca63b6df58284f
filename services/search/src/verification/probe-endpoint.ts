import { retryAfterMs } from '@tributary/contracts';
import { GuardedHttp, OutboundRequestFailed } from '@tributary/outbound';
import { z } from 'zod';
import { tidy } from '../loading/postal-address';
import type { EndpointMetadata, EndpointFailure, SmartSupport } from './endpoint-checks';

/**
 * The result of a probe. `reached` is true when the host sent any response. `throttled` stands for 429, and for 503
 * with `Retry-After`; `retryAfterMs` is the delay before the next request, in milliseconds.
 */
export type ProbeResult =
  | { status: 'succeeded'; reached: true; facts: EndpointMetadata }
  | ({ status: 'failed'; reached: boolean } & EndpointFailure)
  | { status: 'throttled'; reached: true; retryAfterMs: number };

interface Response {
  status: number;
  text: string;
  /** Milliseconds. */
  retryAfterMs: number | undefined;
}

const maxBytes = 16 * 1024 * 1024;
const defaultRetryAfterMs = 10_000;
const maxRetryAfterMs = 60_000;

const extension = z.looseObject({ url: z.string() });
const capabilityStatement = z.object({
  resourceType: z.enum(['CapabilityStatement', 'Conformance']),
  fhirVersion: z.string().max(50).nullish().catch(undefined),
  software: z
    .object({ name: z.string().nullish().catch(undefined), version: z.string().nullish().catch(undefined) })
    .nullish()
    .catch(undefined),
  rest: z
    .array(
      z.object({
        security: z
          .object({ extension: z.array(extension) })
          .nullish()
          .catch(undefined),
      }),
    )
    .nullish()
    .catch(undefined),
});
const smartConfiguration = z.object({
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  capabilities: z.array(z.string().max(200)).max(200).nullish().catch(undefined),
});

/**
 * Requests the `/metadata` and the SMART configuration of endpoints. Its schemas are not those of user-management: a
 * probe records what a document states, and also accepts documents that are too incomplete for an authorization
 * request.
 */
export class EndpointProbe {
  readonly #http: GuardedHttp;

  /** @param options `sandbox` allows http and private addresses; `timeoutMs` is the time limit of a request */
  constructor(private readonly options: { sandbox: boolean; timeoutMs: number }) {
    this.#http = new GuardedHttp({
      allowPrivateAddresses: options.sandbox,
      userAgent: 'Tributary directory verification',
      keepAlive: { maxSockets: 4, maxFreeSockets: 4 },
    });
  }

  /** Probes an endpoint, as a rule with two requests. A failure is a result; nothing is thrown. */
  async probe(address: string): Promise<ProbeResult> {
    try {
      const metadata = await this.#get(`${address}/metadata`, ['application/fhir+json', 'application/json']);
      const delayMs = throttlingDelayMs(metadata);
      if (delayMs !== undefined) return { status: 'throttled', reached: true, retryAfterMs: delayMs };
      const statement = metadata.status === 200 ? parse(capabilityStatement, metadata.text) : undefined;
      const needsLogin = metadata.status === 401 || metadata.status === 403;
      if (!statement && !needsLogin)
        return {
          status: 'failed',
          reached: true,
          problem:
            metadata.status === 200
              ? '/metadata is not a CapabilityStatement'
              : `/metadata responded with ${metadata.status}`,
        };
      const smart = await this.#smartConfiguration(address);
      if (!statement && !smart)
        return { status: 'failed', reached: true, problem: `/metadata responded with ${metadata.status}` };
      return {
        status: 'succeeded',
        reached: true,
        facts: {
          fhirVersion: tidy(statement?.fhirVersion ?? undefined) || null,
          software: softwareOf(statement?.software ?? undefined),
          smart: smart ? 'smart-configuration' : smartOf(statement),
          capabilities: smart?.capabilities?.map((name) => tidy(name)) ?? null,
        },
      };
    } catch (error) {
      return { status: 'failed', reached: false, problem: problemOf(error) };
    }
  }

  async #smartConfiguration(address: string): Promise<z.output<typeof smartConfiguration> | undefined> {
    try {
      const { status, text } = await this.#get(`${address}/.well-known/smart-configuration`, ['application/json']);
      return status === 200 ? parse(smartConfiguration, text) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Some health systems refuse unknown media types: after a 406 or 415 the next one is sent. */
  async #get(url: string, mediaTypes: string[]): Promise<Response> {
    let response: Response | undefined;
    for (const accept of mediaTypes) {
      const { status, text, headers } = await this.#http.request({
        method: 'GET',
        url,
        headers: { Accept: accept },
        redirects: 3,
        totalMs: this.options.timeoutMs,
        maxBytes,
      });
      response = { status, text, retryAfterMs: retryAfterMs(headers, Date.now(), maxRetryAfterMs) };
      if (status !== 406 && status !== 415) break;
    }
    return response!;
  }
}

/** The delay that a throttled response requests, in milliseconds, at most a minute. */
function throttlingDelayMs({ status, retryAfterMs }: Response): number | undefined {
  if (status === 429) return retryAfterMs ?? defaultRetryAfterMs;
  return status === 503 ? retryAfterMs : undefined;
}

function parse<T extends z.ZodType>(schema: T, text: string): z.output<T> | undefined {
  try {
    return schema.safeParse(JSON.parse(text.replace(/^\uFEFF/, ''))).data;
  } catch {
    return undefined;
  }
}

function softwareOf(
  software: { name?: string | null | undefined; version?: string | null | undefined } | undefined,
): string | null {
  return tidy([software?.name, software?.version].filter(Boolean).join(' ')).slice(0, 200) || null;
}

function smartOf(statement: z.output<typeof capabilityStatement> | undefined): SmartSupport {
  const announced = statement?.rest?.some(({ security }) =>
    security?.extension.some(({ url }) => url.endsWith('/StructureDefinition/oauth-uris')),
  );
  return announced ? 'capability-statement' : 'none';
}

/** Describes the failure by the error code of Node.js, such as ENOTFOUND. */
function problemOf(error: unknown): string {
  if (!(error instanceof OutboundRequestFailed)) return 'no response';
  if (error.kind === 'timeout') return 'no response in time';
  return error.kind === 'connection' ? `no response (${error.reason})` : error.reason;
}

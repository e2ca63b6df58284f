import { AddressNotAllowed, assertPublicUrl, outboundAgents } from '@tributary/public-addresses';
import axios, { AxiosError, type AxiosInstance } from 'axios';
import { z } from 'zod';
import type { EndpointFacts, EndpointFailure, SmartSupport } from './endpoint-checks';

/** An endpoint asks for a pause: 429, or 503 with `Retry-After`. */
export interface EndpointBusy {
  retryAfterMs: number;
}

/** `reached` tells whether the host answered at all, in whatever way. */
export type EndpointAnswer =
  | { status: 'answered'; reached: true; facts: EndpointFacts }
  | ({ status: 'failed'; reached: boolean } & EndpointFailure)
  | ({ status: 'busy'; reached: true } & EndpointBusy);

interface Response {
  status: number;
  text: string;
  retryAfter: string | undefined;
}

const maxBytes = 16 * 1024 * 1024;
const defaultPauseMs = 10_000;
const maxPauseMs = 60_000;

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

/** Asks endpoints what they are: their `/metadata`, and their SMART configuration. */
export class EndpointInquirer {
  readonly #http: AxiosInstance;

  /** @param options `sandbox` allows http and private addresses; `timeoutMs` is the time limit of a request */
  constructor(private readonly options: { sandbox: boolean; timeoutMs: number }) {
    this.#http = axios.create({
      headers: { 'User-Agent': 'Tributary directory verification' },
      timeout: options.timeoutMs,
      ...outboundAgents({ allowPrivateAddresses: options.sandbox, keepAlive: true, maxSockets: 4 }),
      maxRedirects: 3,
      beforeRedirect: (target: Record<string, unknown>) => this.#assertAllowed(String(target['href'])),
      maxContentLength: maxBytes,
      proxy: false,
      responseType: 'text',
      transformResponse: (body: unknown) => body,
      validateStatus: () => true,
    });
  }

  /** Asks an endpoint, with two requests as a rule. Never throws. */
  async ask(address: string): Promise<EndpointAnswer> {
    try {
      const metadata = await this.#get(`${address}/metadata`, ['application/fhir+json', 'application/json']);
      const pause = pauseOf(metadata);
      if (pause !== undefined) return { status: 'busy', reached: true, retryAfterMs: pause };
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
        status: 'answered',
        reached: true,
        facts: {
          fhirVersion: statement?.fhirVersion?.trim() || null,
          software: softwareOf(statement?.software ?? undefined),
          smart: smart ? 'smart-configuration' : smartOf(statement),
          capabilities: smart?.capabilities ?? null,
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

  /** Some health systems refuse media types that they do not know: the next one is sent after a 406 or 415. */
  async #get(url: string, mediaTypes: string[]): Promise<Response> {
    this.#assertAllowed(url);
    let response: Response | undefined;
    for (const accept of mediaTypes) {
      const { status, data, headers } = await this.#http.get<unknown>(url, {
        headers: { Accept: accept },
        signal: AbortSignal.timeout(this.options.timeoutMs + 1000),
      });
      const retryAfter: unknown = headers['retry-after'];
      response = {
        status,
        text: typeof data === 'string' ? data : '',
        retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
      };
      if (status !== 406 && status !== 415) break;
    }
    return response!;
  }

  #assertAllowed(url: string): void {
    if (!this.options.sandbox) assertPublicUrl(new URL(url));
  }
}

/** For how long the host wants no requests, in milliseconds, at most a minute. */
function pauseOf({ status, retryAfter }: Response): number | undefined {
  if (status !== 429 && !(status === 503 && retryAfter !== undefined)) return undefined;
  const seconds = Number(retryAfter);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, maxPauseMs) : defaultPauseMs;
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
  const text = [software?.name, software?.version].filter(Boolean).join(' ').slice(0, 200);
  return text === '' ? null : text;
}

function smartOf(statement: z.output<typeof capabilityStatement> | undefined): SmartSupport {
  const announces = statement?.rest?.some(({ security }) =>
    security?.extension.some(({ url }) => url.endsWith('/StructureDefinition/oauth-uris')),
  );
  return announces ? 'capability-statement' : 'none';
}

/** Names the failure by the code of Node.js, such as ENOTFOUND. */
function problemOf(error: unknown): string {
  const cause = error instanceof AxiosError ? (error.cause ?? error) : error;
  if (cause instanceof AddressNotAllowed) return cause.message;
  if (error instanceof AxiosError && (error.code === 'ECONNABORTED' || error.code === 'ERR_CANCELED'))
    return 'no answer in time';
  const code = error instanceof AxiosError ? error.code : undefined;
  return `no answer${code ? ` (${code})` : ''}`;
}

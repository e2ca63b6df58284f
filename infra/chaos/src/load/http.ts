import type { Traffic } from './traffic';
import { pause } from '../pause';

/** The timeout of a client. */
const timeoutMs = 15_000;
const longestRetryMs = 10_000;

export interface Request {
  /** The kind of request, for the table. */
  operation: string;
  method: string;
  url: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
  json?: unknown;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** @throws SyntaxError */
  json(): unknown;
}

export const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

/** A read with an access token. */
export function get(operation: string, url: string, accessToken: string): Request {
  return { operation, method: 'GET', url, headers: bearer(accessToken) };
}

/** A client whose requests are counted. */
export class Http {
  constructor(private readonly traffic: Traffic) {}

  /** Sends one request without following redirects. Returns undefined without a complete response within 15 seconds. */
  async once({ operation, method, url, headers = {}, form, json }: Request): Promise<Answer | undefined> {
    const body = form ? new URLSearchParams(form).toString() : json === undefined ? undefined : JSON.stringify(json);
    const type = form ? 'application/x-www-form-urlencoded' : 'application/fhir+json';
    try {
      const response = await fetch(url, {
        method,
        redirect: 'manual',
        headers: { ...(body === undefined ? {} : { 'Content-Type': type }), ...headers },
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      if (isTransient(response.status)) this.traffic.failed(operation, String(response.status));
      else this.traffic.succeeded(operation);
      return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) as unknown };
    } catch (error) {
      this.traffic.failed(operation, describe(error));
      return undefined;
    }
  }

  /**
   * Repeats an idempotent request, after the delay of Retry-After, until its status is neither 429 nor 5xx.
   * @returns undefined when the signal was aborted first: the outcome is unknown
   */
  async persist(request: Request, signal: AbortSignal): Promise<Answer | undefined> {
    while (!signal.aborted) {
      const answer = await this.once(request);
      if (answer && !isTransient(answer.status)) return answer;
      const seconds = Number(answer?.headers.get('retry-after') ?? 1) || 1;
      await pause(Math.min(longestRetryMs, seconds * 1000), signal);
    }
    return undefined;
  }
}

/** Whether the same request can succeed later. */
function isTransient(status: number): boolean {
  return status === 429 || status >= 500;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.message;
}

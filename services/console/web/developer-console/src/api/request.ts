import { facts } from '../facts';
import { isAttended, noteRequest } from './activity';

/** An answer that says why a request was refused. */
export class ApiError extends Error {
  /**
   * @param status of HTTP; 0 when there was no answer
   * @param code the `error_code`
   */
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId?: string,
  ) {
    super(message);
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.code === code;
}

/** Hears `change` when the session has ended or is not complete, or the account has another role than before. */
export const session = new EventTarget();
const tellsOfChange: ReadonlySet<string> = new Set(['not_signed_in', 'second_factor_required', 'role_not_allowed']);

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/**
 * Calls the API of the console.
 * @param path below `{base_url}/console/api/v1/`
 * @throws ApiError
 */
export async function call<Answer>(method: Method, path: string, body?: object): Promise<Answer> {
  const response = await send(method, path, body);
  return (await response.json().catch(() => ({}))) as Answer;
}

/**
 * As `call`, for an answer that is in the headers.
 * @throws ApiError
 */
export async function send(
  method: Method,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Response> {
  const response = await exchange(method, path, body, headers, signal);
  if (response.ok) return response;
  const { code, message } = refusalOf(await response.json().catch(() => ({})));
  throw new ApiError(
    response.status,
    code ?? 'internal_error',
    message ?? `the server answered with ${response.status}`,
    response.headers.get('x-request-id') ?? undefined,
  );
}

/** Tells the pages when a refusal says that the session or the role has changed. */
async function noteRefusal(response: Response): Promise<void> {
  const { code } = refusalOf(await response.json().catch(() => ({})));
  if (code !== undefined && tellsOfChange.has(code)) session.dispatchEvent(new Event('change'));
}

/**
 * The lines of an answer in NDJSON, as they arrive.
 * @param signal ends the request, and so the work of the server, also while no line arrives
 * @throws ApiError also when the answer ends early
 */
export async function* lines<Line>(path: string, body: object, signal: AbortSignal): AsyncGenerator<Line> {
  const response = await send('POST', path, body, {}, signal);
  if (!response.body) return;
  let rest = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new ApiError(0, 'unreachable', 'the answer has ended early: try again');
    });
    if (done) return;
    const parts = (rest + value).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield JSON.parse(part) as Line;
  }
}

/** Why a request was refused, in the formats of the console, of {auth_url} and of FHIR. */
function refusalOf(answer: unknown): { code?: string | undefined; message?: string | undefined } {
  const { error, error_code, error_description, issue } = answer as {
    error?: string;
    error_code?: string;
    error_description?: string;
    issue?: { diagnostics?: string }[];
  };
  if (error_description !== undefined) return { code: error, message: error_description };
  return { code: error_code, message: error ?? issue?.[0]?.diagnostics };
}

/**
 * Sends a request to the API of the console, and gives the answer as it is.
 * @param headers beside those of JSON
 * @throws ApiError when there is no answer
 */
export async function exchange(
  method: Method,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Response> {
  // A tab signs out by itself when nobody uses it: that keeps no other tab.
  const isUse = isAttended() || (method !== 'GET' && path !== 'sign-out');
  try {
    const response = await fetch(`${facts.root}/api/v1/${path}`, {
      method,
      headers: {
        Accept: 'application/json',
        ...(method === 'GET' ? {} : { 'Content-Type': 'application/json' }),
        ...(isUse ? {} : { 'X-Unattended': 'true' }),
        ...headers,
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
      ...(signal ? { signal } : {}),
    });
    if (isUse) noteRequest();
    if ([401, 403].includes(response.status) && path !== 'account') await noteRefusal(response.clone());
    return response;
  } catch {
    throw new ApiError(0, 'unreachable', 'the console cannot be reached: check your connection and try again');
  }
}

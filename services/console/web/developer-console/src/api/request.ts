import { facts } from '../facts';
import { noteRequest } from './activity';

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

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/**
 * Calls the API of the console.
 * @param path below `{base_url}/console/api/v1/`
 * @throws ApiError
 */
export async function call<Answer>(method: Method, path: string, body?: object): Promise<Answer> {
  const response = await send(method, path, body);
  const answer: unknown = await response.json().catch(() => ({}));
  if (response.ok) return answer as Answer;
  const { code, message } = refusalOf(answer);
  if (code !== undefined && tellsOfChange.has(code) && path !== 'account') session.dispatchEvent(new Event('change'));
  throw new ApiError(
    response.status,
    code ?? 'internal_error',
    message ?? `the server answered with ${response.status}`,
    response.headers.get('x-request-id') ?? undefined,
  );
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

async function send(method: Method, path: string, body?: object): Promise<Response> {
  try {
    const response = await fetch(`${facts.root}/api/v1/${path}`, {
      method,
      headers: { Accept: 'application/json', ...(method === 'GET' ? {} : { 'Content-Type': 'application/json' }) },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
    });
    noteRequest();
    return response;
  } catch {
    throw new ApiError(0, 'unreachable', 'the console cannot be reached: check your connection and try again');
  }
}

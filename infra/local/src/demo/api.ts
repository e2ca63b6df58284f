import type { DemoRequest, StepPrinter } from './printer';

export interface DemoResponse {
  status: number;
  headers: Headers;
  text: string;
  json: unknown;
}

/**
 * Sends a request and prints it, then its status and time.
 * @throws Error when the status is 400 or more
 */
export async function send(printer: StepPrinter, request: DemoRequest): Promise<DemoResponse> {
  const headers: Record<string, string> = { ...request.headers };
  let body: string | undefined;
  if (request.form) {
    body = new URLSearchParams(request.form).toString();
    headers['Content-Type'] = 'application/x-www-form-urlencoded';
  } else if (request.json !== undefined) {
    body = JSON.stringify(request.json);
    headers['Content-Type'] ??= 'application/json';
  }
  if (!request.quiet) printer.request(request);
  const began = performance.now();
  const response = await fetch(request.url, {
    method: request.method,
    headers,
    redirect: request.manualRedirect ? 'manual' : 'follow',
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  if (!request.quiet) printer.response(response.status, performance.now() - began);
  if (response.status >= 400)
    throw new Error(
      `${request.method} ${request.url.split('?')[0]} returned ${response.status}: ${text.slice(0, 500)}`,
    );
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

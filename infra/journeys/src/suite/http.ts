export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON without a fixed shape, since the responses of different APIs differ. */
  json: Json;
}

/** A JSON value that is read by path: `reply.json.at('entry', 0, 'resource')`. */
export class Json {
  constructor(readonly value: unknown) {}

  at(...path: (string | number)[]): unknown {
    let here: unknown = this.value;
    for (const step of path)
      here = typeof here === 'object' && here !== null ? (here as Record<string | number, unknown>)[step] : undefined;
    return here;
  }

  list(...path: (string | number)[]): unknown[] {
    const found = this.at(...path);
    return Array.isArray(found) ? found : [];
  }

  text(...path: (string | number)[]): string {
    const found = this.at(...path);
    if (typeof found !== 'string')
      throw new Error(`a text was expected at ${path.join('.')}: ${JSON.stringify(this.value).slice(0, 400)}`);
    return found;
  }

  number(...path: (string | number)[]): number {
    const found = this.at(...path);
    if (typeof found !== 'number')
      throw new Error(`a number was expected at ${path.join('.')}: ${JSON.stringify(this.value).slice(0, 400)}`);
    return found;
  }
}

export interface Request {
  headers?: Record<string, string>;
  form?: Record<string, string>;
  json?: unknown;
  body?: string;
}

/** Sends one HTTP request without following redirects. */
export async function http(
  method: string,
  url: string,
  { headers = {}, form, json, body }: Request = {},
): Promise<Reply> {
  const sent = form ? new URLSearchParams(form).toString() : json === undefined ? body : JSON.stringify(json);
  const type = form ? 'application/x-www-form-urlencoded' : json === undefined ? undefined : 'application/json';
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(type ? { 'Content-Type': type } : {}), ...headers },
    ...(sent === undefined ? {} : { body: sent }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: new Json(/[/+]json/.test(response.headers.get('content-type') ?? '') && text ? JSON.parse(text) : undefined),
  };
}

export const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

const answeredWithinMs = 60_000;

export interface Answer {
  /** The HTTP status; undefined without a response. */
  readonly status?: number;
  readonly etag?: number | undefined;
  readonly location?: string | undefined;
  readonly body?: unknown;
  /** Whether the request cannot have reached the service. */
  readonly unsent: boolean;
}

export interface Request {
  readonly method: string;
  /** The path below `/r4`. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one request as a user. A lost connection is a response without status. */
export async function send(
  replicaUrl: string,
  token: string,
  { method, path, body, contentType = 'application/fhir+json', headers = {} }: Request,
): Promise<Answer> {
  try {
    const response = await fetch(`${replicaUrl}/r4${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: 'application/fhir+json',
        ...(body === undefined ? {} : { 'Content-Type': contentType }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answeredWithinMs),
    });
    const text = await response.text();
    return {
      status: response.status,
      etag: versionOfEtag(response.headers.get('etag')),
      location: response.headers.get('location') ?? undefined,
      body: text === '' ? undefined : JSON.parse(text),
      unsent: false,
    };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
    return { unsent: cause?.code === 'ECONNREFUSED' };
  }
}

export function versionOfEtag(etag: string | null | undefined): number | undefined {
  const [, digits] = /^W\/"(\d+)"$/.exec(etag ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}

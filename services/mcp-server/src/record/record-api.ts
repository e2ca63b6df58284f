import { setMaxListeners } from 'node:events';
import { type ConnectionEntry, type FhirVersion, connectionList } from '@tributary/contracts';
import { type JsonObject, type JsonValue, isJsonObject, parseJson } from '@tributary/fhir-json';
import type { PublicApi } from '@tributary/outbound';
import { nodesAt, numberAt, textAt } from '../fhir/json';
import { Semaphore } from '@tributary/service-kit';
import { NotConvertible, ToolError } from './tool-error';

/** As what a resource is requested: converted to R4, or in the release in which it is stored. */
export type Form = 'r4' | 'native';

/** A page of a search. */
export interface SearchPage {
  matches: JsonObject[];
  included: JsonObject[];
  total: number | undefined;
  /** The query of the next page. */
  next: string | undefined;
  /** What the server reports about the search, such as resources that it could not convert. */
  reported: string[];
}

/** A Patient of the record. */
export interface PatientReference {
  release: FhirVersion;
  id: string;
}

/** One call of a tool: on whose behalf, and until when. */
export interface Call {
  token: string;
  requestId: string;
  signal: AbortSignal;
}

const mediaTypes: Readonly<Record<Form, string>> = {
  r4: 'application/fhir+json; fhirVersion=4.0',
  native: 'application/fhir+json',
};
const retryLater = 'Try the same call again in a few seconds.';
const maxReported = 3;
/** Requests of one call at a time. A page of a search has up to 16 MB. */
const maxRequests = 4;
/** The call itself ends earlier as a rule. */
const maxRequestMs = 300_000;
/** A page has 16 MB of matches, and resources that they refer to. */
const maxResponseBytes = 128_000_000;
/**
 * The APIs of fhir-store and user-management, called with the user's own token, so that an answer has what this user
 * can read and nothing else.
 * @throws ToolError from every method when no answer can be given
 */
export class RecordApi {
  readonly #requests = new Semaphore(maxRequests);
  #characters = 0;
  #patients: readonly PatientReference[] | undefined;

  /** @param maxCharacters of responses that one call reads; further pages of searches are not requested */
  constructor(
    private readonly api: PublicApi,
    private readonly call: Call,
    private readonly maxCharacters = 200_000_000,
  ) {
    setMaxListeners(0, call.signal); // One listener for each request that runs or waits.
  }

  /** Aborted when the call has to end. */
  get signal(): AbortSignal {
    return this.call.signal;
  }

  /** Whether the call has read as much as one call may. */
  get isExhausted(): boolean {
    return this.#characters >= this.maxCharacters;
  }

  /** Narrows what `narrowed` returns from now on to the Patients of one person. */
  narrowTo(patients: readonly PatientReference[]): void {
    this.#patients = patients;
  }

  /**
   * The query of the first page of a search of a type that is about a patient.
   * @returns undefined when nothing can match, since the person has no Patient in the release
   */
  narrowed(release: FhirVersion, type: string, query: string): string | undefined {
    if (!this.#patients) return query;
    const ids = this.#patients.flatMap((patient) => (patient.release === release ? [patient.id] : []));
    if (ids.length === 0) return undefined;
    return [query, `${type === 'Patient' ? '_id' : 'patient'}=${ids.join(',')}`].filter(Boolean).join('&');
  }

  /** A page of a search; unknown parameters are an error (`Prefer: handling=strict`). */
  async search(release: FhirVersion, type: string, query: string, form: Form): Promise<SearchPage> {
    const bundle = await this.#getJson(`/${release}/${type}${query === '' ? '' : `?${query}`}`, {
      Accept: mediaTypes[form],
      Prefer: 'handling=strict',
    });
    const entries = nodesAt(bundle, 'entry');
    const withMode = (mode: string): JsonObject[] =>
      entries
        .filter((entry) => (textAt(entry, 'search', 'mode') ?? 'match') === mode)
        .map((entry) => entry['resource'])
        .filter(isJsonObject);
    const next = nodesAt(bundle, 'link').find((link) => link['relation'] === 'next');
    return {
      matches: withMode('match'),
      included: withMode('include'),
      total: numberAt(bundle, 'total'),
      next: next && queryOf(textAt(next, 'url')),
      reported: withMode('outcome').flatMap(diagnosticsOf).slice(0, maxReported),
    };
  }

  /** @throws NotConvertible when there is no R4 form of the resource */
  read(release: FhirVersion, type: string, id: string, form: Form): Promise<JsonObject> {
    return this.#getJson(`/${release}/${type}/${id}`, { Accept: mediaTypes[form] });
  }

  async connections(): Promise<ConnectionEntry[]> {
    const answer = connectionList.safeParse(
      await this.#getJson('/connect/v1/connections', { Accept: 'application/json' }),
    );
    if (!answer.success) throw new ToolError(`The connections could not be read. ${retryLater}`);
    return answer.data.entry;
  }

  async #getJson(path: string, headers: Record<string, string>): Promise<JsonObject> {
    const { status, body } = await this.#requests.run(this.call.signal, () => this.#get(path, headers));
    if (status === 200 && isJsonObject(body)) return body;
    throw this.#failure(status, body, headers['Prefer'] !== undefined);
  }

  async #get(path: string, headers: Record<string, string>): Promise<{ status: number; body: JsonValue | undefined }> {
    try {
      const { status, text } = await this.api.http.request({
        method: 'GET',
        url: `${this.api.url}${path}`,
        headers: { Authorization: `Bearer ${this.call.token}`, 'X-Request-Id': this.call.requestId, ...headers },
        totalMs: maxRequestMs,
        maxBytes: maxResponseBytes,
        signal: this.call.signal,
      });
      this.#characters += text.length;
      return { status, body: readBody(text) };
    } catch {
      this.call.signal.throwIfAborted();
      throw new ToolError(`The record is not available at the moment. ${retryLater}`);
    }
  }

  #failure(status: number, body: unknown, isSearch: boolean): ToolError {
    const reason = [...diagnosticsOf(body), textAt(body, 'error')].find(Boolean);
    const said = reason === undefined ? '' : ` The server says: ${reason}.`;
    if (status === 400 || status === 413 || status === 422 || (isSearch && status === 404))
      return new ToolError(`The request is not valid.${said} Correct the arguments and call the tool again.`);
    if (status === 401)
      return new ToolError(
        'The access token expired or was revoked during this call. The application has to refresh it; do not repeat the call.',
      );
    if (status === 404 || status === 410)
      return new ToolError(
        "This is not, or no longer, in the user's record. Use a reference that another tool returned, with its release.",
      );
    if (status === 406)
      return new NotConvertible(
        `The resource cannot be converted to R4.${said} Call the tool again with form "native".`,
      );
    if (status === 429 || status === 502 || status === 503 || status === 504)
      return new ToolError(`The record is not available at the moment. ${retryLater}`);
    return new ToolError(
      `The record could not be read (status ${status}, request id ${this.call.requestId}). Tell the user; repeating the call is not likely to help.`,
    );
  }
}

function readBody(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function queryOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : url.split('?')[1];
}

/** The messages of an OperationOutcome. */
function diagnosticsOf(outcome: unknown): string[] {
  return nodesAt(outcome, 'issue').flatMap((issue) => {
    const text = textAt(issue, 'diagnostics') ?? textAt(issue, 'details', 'text');
    return text === undefined ? [] : [text.replace(/\.$/, '')];
  });
}

import { setTimeout as pause } from 'node:timers/promises';
import type { FhirVersion, HealthSystemAccess } from '@tributary/contracts';
import type { AxiosInstance } from 'axios';
import type { AccessToken } from './access-token';
import type { AnswerBudget, AnswerRoom } from './answer-budget';
import { AnswerCutOff, HealthSystemUnreachable, UnreadableAnswer } from './health-system-unreachable';
import type { HostLimits } from './host-limits';
import { type HttpAnswer, send } from './http';
import { acceptAlternatives, acceptOf } from './media-types';
import { type Patience, backoffMs } from './patience';
import { retryAfterMs } from './retry-after';

/** What was read, or the status with which it was refused. */
export type Answer<T> = { ok: true; value: T } | { ok: false; status: number };

export interface Reading<T> {
  /** Reads the body of a good answer. @throws UnreadableAnswer and the request is made again */
  read(body: Buffer, headers: Record<string, unknown>): T;
  /** In place of the release's media types. */
  accept?: readonly [string, ...string[]];
  mostBytes?: number;
  /** Answers of the same kind are expected to be as large as the last one. */
  kind?: string;
  /** Holds the place of a good answer until it is released; without it, what was read counts no longer than it takes to read it. */
  room?: AnswerRoom;
}

export interface HealthSystemClientOptions {
  connectionId: string;
  fhirBaseUrl: string;
  release: FhirVersion;
  /** An address that must be readable as long as the access is good: the patient. */
  proof: string;
  http: AxiosInstance;
  token: AccessToken;
  limits: HostLimits;
  answers: AnswerBudget;
  patience: Patience;
  signal: AbortSignal;
}

/** Bundles of tens of megabytes are seen; what is larger is not read. */
const mostPageBytes = 128_000_000;
const mostRedirects = 3;
const mostRenewals = 3;
const passing = new Set([0, 408, 500, 502, 504]);

/** How many bytes an answer of an unknown kind is expected to have. */
const firstExpectation = 64_000;
const leastExpectation = 1000;

/** How an answer is wanted. */
interface Wanted {
  accept: string;
  kind: string;
  mostBytes: number;
  room: AnswerRoom;
}

/** An answer, and the token with which it was asked for. */
interface Sent extends HttpAnswer {
  access: HealthSystemAccess;
}

/**
 * Reads from one health system over one connection, patiently: one refresh when the token is refused, pauses that the server asks for,
 * retries of what may pass. Nothing is asked of another origin, so that the bearer token never leaves the FHIR origin.
 */
export class HealthSystemClient {
  readonly #base: URL;
  readonly #provenTokens = new Set<string>();
  readonly #expected = new Map<string, number>();
  #pageAccept: readonly string[];
  #hasAnswered = false;

  constructor(private readonly options: HealthSystemClientOptions) {
    this.#base = new URL(options.fhirBaseUrl);
    this.#pageAccept = [acceptOf[options.release], ...acceptAlternatives[options.release]];
  }

  /** Whether any request was answered by more than a failure of the server. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Asks for the patient when nothing was answered yet. @returns whether the health system answers */
  async probe(): Promise<boolean> {
    try {
      if (!this.#hasAnswered) await this.get(this.options.proof, { read: () => true });
    } catch (error) {
      if (!(error instanceof HealthSystemUnreachable)) throw error;
    }
    return this.#hasAnswered;
  }

  /** The absolute address of one that is relative to the FHIR base. */
  addressOf(relative: string): string {
    return new URL(relative, `${this.options.fhirBaseUrl.replace(/\/+$/, '')}/`).href;
  }

  isOwn(url: string): boolean {
    return URL.canParse(url) && new URL(url).origin === this.#base.origin;
  }

  /**
   * @returns what was read, or the status of a refusal that stands
   * @throws HealthSystemUnreachable when what may pass did not, or when the access is lost
   */
  async get<T>(url: string, reading: Reading<T>): Promise<Answer<T>> {
    const room = reading.room ?? this.room();
    let isKept = false;
    try {
      const answer = await this.#get(url, reading, room);
      isKept = answer.ok && reading.room !== undefined;
      return answer;
    } finally {
      if (!isKept) room.release();
    }
  }

  /** Room for an answer that is held for a while. */
  room(): AnswerRoom {
    return this.options.answers.room(this.#base.host);
  }

  async #get<T>(url: string, reading: Reading<T>, room: AnswerRoom): Promise<Answer<T>> {
    const { patience, token, limits } = this.options;
    let accepts = reading.accept ?? this.#pageAccept;
    let renewals = 0;
    let throttled = 0;
    let failed = 0;
    for (;;) {
      const { kind = '', mostBytes = mostPageBytes } = reading;
      const answer = await this.#whole(url, { accept: accepts[0] ?? '*/*', kind, mostBytes, room });
      const { status, headers, access } = answer;
      if (status < 200 || status > 299) room.release();
      if (status >= 200 && status < 500 && status !== 408 && status !== 429) this.#hasAnswered = true;
      if (status === 401) {
        const worksElsewhere = this.#provenTokens.delete(access.token_id);
        if (renewals > 0 && (!worksElsewhere || renewals === mostRenewals)) return this.#refusedAfterRenewal(url);
        renewals++;
        await token.renew(access);
      } else if (status === 406 && accepts.length > 1) {
        accepts = accepts.slice(1);
        if (!reading.accept) this.#pageAccept = accepts;
      } else if (status === 429 || status === 503) {
        limits.complained(this.#base.host);
        const asked = retryAfterMs(headers, Date.now(), patience.longestPauseMs);
        if (++throttled >= patience.throttledAttempts)
          throw new HealthSystemUnreachable(status, `answered ${status} ${throttled} times`, false, asked);
        await this.#pause(asked ?? backoffMs(throttled, patience.firstPauseMs));
      } else if (status >= 200 && status < 300) {
        this.#provenTokens.add(access.token_id);
        limits.answered(this.#base.host);
        const read = readBody(reading, answer);
        if (read.ok) return read;
        if (++failed >= patience.failedAttempts)
          throw new HealthSystemUnreachable(status, `sent what cannot be read: ${read.reason}`);
        await this.#pause(backoffMs(failed, patience.firstPauseMs));
      } else if (passing.has(status)) {
        if (++failed >= patience.failedAttempts)
          throw new HealthSystemUnreachable(status, status ? `answered ${status} ${failed} times` : 'did not answer');
        await this.#pause(backoffMs(failed, patience.firstPauseMs));
      } else {
        return { ok: false, status };
      }
    }
  }

  /** A renewed token was refused too: of this address only, or is the access lost? The patient's own resource tells. */
  async #refusedAfterRenewal<T>(url: string): Promise<Answer<T>> {
    const { proof } = this.options;
    const isAlive = url !== proof && (await this.get(proof, { read: () => true })).ok;
    if (!isAlive) throw new HealthSystemUnreachable(401, 'refuses its renewed access');
    return { ok: false, status: 401 };
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.options.signal });
  }

  /** Requests again what had no room in memory; nothing is held meanwhile. */
  async #whole(url: string, wanted: Wanted): Promise<Sent> {
    for (;;) {
      try {
        const answer = await this.#send(url, wanted);
        this.#expected.set(wanted.kind, Math.max(leastExpectation, Math.ceil(answer.body.length * 1.1)));
        return answer;
      } catch (error) {
        if (!(error instanceof AnswerCutOff)) throw error;
        this.#expected.set(wanted.kind, error.needs);
        wanted.room.release();
      }
    }
  }

  /** One request, and its redirects within the origin. */
  async #send(url: string, wanted: Wanted): Promise<Sent> {
    let target = new URL(url);
    for (let hop = 0; ; hop++) {
      if (target.origin !== this.#base.origin) throw new HealthSystemUnreachable(0, 'leads to another host', true);
      const answer = await this.#once(target, wanted);
      const location = answer.headers['location'];
      if (answer.status < 300 || answer.status > 399 || typeof location !== 'string') return answer;
      if (hop === mostRedirects || !URL.canParse(location, target.href))
        throw new HealthSystemUnreachable(answer.status, 'redirects without end', true);
      target = new URL(location, target);
      wanted.room.release();
    }
  }

  async #once(url: URL, { accept, kind, mostBytes, room }: Wanted): Promise<Sent> {
    const { http, signal, limits, token, connectionId } = this.options;
    const held = await token.get();
    return limits.run(url.host, connectionId, async () => {
      await room.reserve(Math.min(this.#expected.get(kind) ?? firstExpectation, mostBytes), signal);
      // The turn may have been long in coming, and the token renewed meanwhile.
      const access = token.newest ?? held;
      const answer = await send(url, {
        http,
        headers: { Accept: accept, Authorization: `Bearer ${access.access_token}` },
        mostBytes,
        room,
        signal,
      });
      return { ...answer, access };
    });
  }
}

function readBody<T>(
  reading: Reading<T>,
  { body, headers }: HttpAnswer,
): { ok: true; value: T } | { ok: false; reason: string } {
  try {
    return { ok: true, value: reading.read(body, headers) };
  } catch (error) {
    if (error instanceof UnreadableAnswer) return { ok: false, reason: error.message };
    throw error;
  }
}

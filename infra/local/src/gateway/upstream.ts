/** For how long other replicas are preferred to one that could not be connected to, or whose answer a client gave up waiting for. */
const avoidAfterRefusalMs = 1_000;
const avoidAfterSilenceMs = 10_000;
/** A replica that has owed an answer for so long, and gave none to anybody meanwhile, may hang. */
export const suspiciousSilenceMs = 3_000;

/** One replica of a service, and what the gateway has seen of it (passive health checks). Times are of `performance.now()`. */
export class Replica {
  readonly hostname: string;
  readonly port: number;
  #avoidedUntil = 0;
  #lastAnswer = 0;
  readonly #unanswered = new Set<{ since: number }>();

  constructor(origin: string) {
    const url = new URL(origin);
    this.hostname = url.hostname;
    this.port = Number(url.port);
  }

  /** Whether another replica is the better choice. */
  isAvoided(now: number): boolean {
    if (now < this.#avoidedUntil) return true;
    const [oldest] = this.#unanswered;
    return oldest !== undefined && now - Math.max(oldest.since, this.#lastAnswer) > suspiciousSilenceMs;
  }

  /** Notes a request that is sent; the function that is returned must be called when it has ended, in whatever way. */
  sent(now: number): (how: 'answered' | 'refused' | 'silent' | 'abandoned', at: number) => void {
    const request = { since: now };
    this.#unanswered.add(request);
    return (how, at) => {
      if (!this.#unanswered.delete(request)) return;
      if (how === 'answered') {
        this.#lastAnswer = at;
        this.#avoidedUntil = 0;
      } else if (how !== 'abandoned') {
        this.#avoidedUntil = at + (how === 'refused' ? avoidAfterRefusalMs : avoidAfterSilenceMs);
      }
    };
  }
}

/** All replicas of a service. */
export class Upstream {
  readonly #replicas: readonly Replica[];
  #next = 0;

  /** @param origins one or more, such as `http://127.0.0.1:4011` */
  constructor(origins: readonly string[]) {
    if (origins.length === 0) throw new Error('a service needs at least one replica');
    this.#replicas = origins.map((origin) => new Replica(origin));
  }

  /** The replicas in the order in which they are to be tried for one request: each in turn comes first, avoided ones come last. */
  candidates(now: number): Replica[] {
    const first = this.#next++ % this.#replicas.length;
    const inTurn = [...this.#replicas.slice(first), ...this.#replicas.slice(0, first)];
    return [
      ...inTurn.filter((replica) => !replica.isAvoided(now)),
      ...inTurn.filter((replica) => replica.isAvoided(now)),
    ];
  }
}

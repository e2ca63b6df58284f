/** What was seen of one person's clients. */
export interface Seen {
  /** FHIR requests by interaction and type, `search Observation`. */
  requests: Record<string, number>;
  /** Answers of the FHIR API by status. */
  statuses: Record<string, number>;
  /** Token requests that were granted, by grant type. */
  tokens: Record<string, number>;
  clientsRefused: number;
  /** Requests to another origin that carried an Authorization header: there must be none. */
  tokensLeaked: number;
  /** The most requests that were open at one time. */
  mostAtOnce: number;
}

/** What was seen at one of the hosts under which the sandbox is reached. */
export interface SeenAtHost {
  requests: number;
  /** The most requests that were open at one time, whoever made them. */
  mostAtOnce: number;
}

/** Counts what clients do, so that a test can prove how a collector behaved. */
export class Observations {
  private readonly byUsername = new Map<string, Seen>();
  private readonly open = new Map<string, number>();
  private readonly byHost = new Map<string, SeenAtHost & { open: number }>();

  /** A FHIR request begins: how many are open now, and where to tell the status of the answer. */
  begin(username: string, what: string): { open: number; end: (status: number) => void } {
    const seen = this.of(username);
    seen.requests[what] = (seen.requests[what] ?? 0) + 1;
    const open = (this.open.get(username) ?? 0) + 1;
    this.open.set(username, open);
    seen.mostAtOnce = Math.max(seen.mostAtOnce, open);
    const end = (status: number): void => {
      this.open.set(username, (this.open.get(username) ?? 1) - 1);
      seen.statuses[status] = (seen.statuses[status] ?? 0) + 1;
    };
    return { open, end };
  }

  /** A FHIR request with a token reaches a host; whoever connects looks around without one. @returns to be called at its end; the first call counts */
  beginAt(host: string): () => void {
    const seen = this.byHost.get(host) ?? { requests: 0, mostAtOnce: 0, open: 0 };
    this.byHost.set(host, seen);
    seen.requests += 1;
    seen.open += 1;
    seen.mostAtOnce = Math.max(seen.mostAtOnce, seen.open);
    let isOpen = true;
    return () => {
      if (isOpen) seen.open -= 1;
      isOpen = false;
    };
  }

  tokenIssued(username: string, grantType: string): void {
    const { tokens } = this.of(username);
    tokens[grantType] = (tokens[grantType] ?? 0) + 1;
  }

  clientRefused(username: string | undefined): void {
    this.of(username ?? '').clientsRefused += 1;
  }

  elsewhere(username: string, withToken: boolean): void {
    const seen = this.of(username);
    seen.requests['elsewhere'] = (seen.requests['elsewhere'] ?? 0) + 1;
    if (withToken) seen.tokensLeaked += 1;
  }

  all(): Record<string, Seen> {
    return Object.fromEntries(this.byUsername);
  }

  hosts(): Record<string, SeenAtHost> {
    return Object.fromEntries(
      [...this.byHost].map(([host, { requests, mostAtOnce }]) => [host, { requests, mostAtOnce }]),
    );
  }

  of(username: string): Seen {
    const seen = this.byUsername.get(username) ?? {
      requests: {},
      statuses: {},
      tokens: {},
      clientsRefused: 0,
      tokensLeaked: 0,
      mostAtOnce: 0,
    };
    this.byUsername.set(username, seen);
    return seen;
  }

  forget(): void {
    this.byUsername.clear();
    for (const seen of this.byHost.values()) Object.assign(seen, { requests: 0, mostAtOnce: seen.open });
  }
}

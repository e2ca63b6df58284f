/** What the clients of one person have done. */
export interface ClientObservations {
  /** FHIR requests by interaction and type, `search Observation`. */
  requests: Record<string, number>;
  /** Different searches by type, whatever pages of them were requested, and how often. */
  searches: Record<string, number>;
  /** Responses of the FHIR API by status. */
  statuses: Record<string, number>;
  /** Successful token requests by grant type. */
  tokens: Record<string, number>;
  /** All token requests by grant type, refused ones included. Those with an invalid code or token have no username. */
  tokenRequests: Record<string, number>;
  clientsRefused: number;
  /** Requests with an Authorization header to another origin: there must be none. */
  tokensLeaked: number;
  /** The largest number of concurrent requests. */
  mostAtOnce: number;
}

/** What was observed at one of the hosts under which the sandbox is reached. */
export interface HostObservations {
  requests: number;
  /** The largest number of concurrent requests of all clients. */
  mostAtOnce: number;
}

/** Clients choose some of the names, so that the object has no prototype. */
function counter(): Record<string, number> {
  return Object.create(null) as Record<string, number>;
}

/** Counts what clients do, so that tests can verify the behaviour of a collector. */
export class Observations {
  private readonly byUsername = new Map<string, ClientObservations>();
  private readonly searches = new Map<string, Set<string>>();
  private readonly open = new Map<string, number>();
  private readonly byHost = new Map<string, HostObservations & { open: number }>();

  /**
   * A FHIR request starts.
   * @returns the number of requests in progress, and a function to call with the status of the response
   */
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

  /**
   * A FHIR request with a token arrives at a host; discovery requests carry none and are not counted.
   * @returns a function to call at its end, once or more
   */
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

  /** @param address equal for repeated requests */
  searched(username: string, type: string, address: string): void {
    const known = this.searches.get(username) ?? new Set();
    this.searches.set(username, known);
    if (known.has(address)) return;
    known.add(address);
    const { searches } = this.of(username);
    searches[type] = (searches[type] ?? 0) + 1;
  }

  tokenIssued(username: string, grantType: string): void {
    const { tokens } = this.of(username);
    tokens[grantType] = (tokens[grantType] ?? 0) + 1;
  }

  tokenRequested(username: string | undefined, grantType: string): void {
    const { tokenRequests } = this.of(username ?? '');
    tokenRequests[grantType] = (tokenRequests[grantType] ?? 0) + 1;
  }

  clientRefused(username: string | undefined): void {
    this.of(username ?? '').clientsRefused += 1;
  }

  elsewhere(username: string, withToken: boolean): void {
    const seen = this.of(username);
    seen.requests['elsewhere'] = (seen.requests['elsewhere'] ?? 0) + 1;
    if (withToken) seen.tokensLeaked += 1;
  }

  all(): Record<string, ClientObservations> {
    return Object.fromEntries(this.byUsername);
  }

  hosts(): Record<string, HostObservations> {
    return Object.fromEntries(
      [...this.byHost].map(([host, { requests, mostAtOnce }]) => [host, { requests, mostAtOnce }]),
    );
  }

  of(username: string): ClientObservations {
    const seen = this.byUsername.get(username) ?? {
      requests: counter(),
      searches: counter(),
      statuses: counter(),
      tokens: counter(),
      tokenRequests: counter(),
      clientsRefused: 0,
      tokensLeaked: 0,
      mostAtOnce: 0,
    };
    this.byUsername.set(username, seen);
    return seen;
  }

  forget(): void {
    this.byUsername.clear();
    this.searches.clear();
    for (const seen of this.byHost.values()) Object.assign(seen, { requests: 0, mostAtOnce: seen.open });
  }
}

import { type FhirVersion, normalizedBase } from '@tributary/contracts';
import type { PoolClient } from 'pg';
import { releaseOfVersion } from './release';

interface Endpoint {
  ordinal: number;
  key: string;
  keys: string[];
  address: string;
}

interface Check {
  address: string;
  fhir_version: string | null;
  is_checked: boolean;
  is_due: boolean;
}

/** The release that an endpoint states in its `/metadata`, or why it is not known. */
type Release = FhirVersion | { problem: string };

/**
 * Endpoints of a file whose release only their own `/metadata` states. The results of earlier checks are read in
 * batches. The addresses that remain are kept in memory, one of each.
 */
export class UnknownReleases {
  #waiting: Endpoint[] = [];
  readonly #known = new Map<string, Release>();
  readonly #unverified = new Set<string>();

  constructor(
    private readonly client: PoolClient,
    private readonly batchSize: number,
  ) {}

  /** Adds an endpoint, and returns whether a batch of them should be resolved. */
  add(endpoint: Endpoint): boolean {
    this.#waiting.push(endpoint);
    return this.#waiting.length >= this.batchSize;
  }

  /** Returns the endpoints that were added since the last call; `isFirst` marks the first one of its address. */
  async resolve(): Promise<{ endpoint: Endpoint; release: Release; isFirst: boolean }[]> {
    const waiting = this.#waiting;
    this.#waiting = [];
    const unread = new Set(
      waiting.map(({ address }) => normalizedBase(address)).filter((one) => !this.#known.has(one)),
    );
    if (unread.size > 0) await this.#read([...unread]);
    return waiting.map((endpoint) => {
      const address = normalizedBase(endpoint.address);
      return { endpoint, release: this.#known.get(address)!, isFirst: unread.delete(address) };
    });
  }

  /** The addresses to check before the release of every endpoint is known as well as it can be. */
  unverified(): string[] {
    return [...this.#unverified];
  }

  async #read(addresses: string[]): Promise<void> {
    const { rows } = await this.client.query<Check>(
      `select address, fhir_version, checked_at is not null as is_checked, due_at <= now() as is_due
       from endpoint_check where address = any($1)`,
      [addresses],
    );
    const checks = new Map(rows.map((row) => [row.address, row]));
    for (const address of addresses) {
      const check = checks.get(address);
      if (!check || check.is_due) this.#unverified.add(address);
      this.#known.set(address, releaseOf(check));
    }
  }
}

function releaseOf(check: Check | undefined): Release {
  if (!check?.is_checked) return { problem: 'no FHIR version' };
  if (check.fhir_version === null) return { problem: 'no FHIR version, and none in its /metadata' };
  const release = releaseOfVersion(check.fhir_version);
  return release === undefined || release === 'other' ? { problem: 'FHIR version is not offered' } : release;
}

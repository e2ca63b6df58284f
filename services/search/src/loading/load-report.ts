import type { FhirVersion } from '@tributary/contracts';

/** A resource that was rejected. */
export interface Rejection {
  resource: 'Organization' | 'Endpoint' | 'entry';
  /** Its fullUrl, or else its position in the bundle. */
  key: string;
  name?: string;
  reason: string;
}

export interface RejectionSummary {
  resource: Rejection['resource'];
  reason: string;
  count: number;
  examples: string[];
}

export interface LoadReport {
  source: string;
  origin: string;
  status: 'loaded' | 'unchanged';
  /** Number of health systems of this source after the load. */
  total: number;
  added: number;
  changed: number;
  removed: number;
  organizations: number;
  endpoints: number;
  rejected: RejectionSummary[];
  seconds: number;
  /** The first health systems of the source, by name. */
  entry: { id: number; name: string; address: string; fhirVersions: FhirVersion[] }[];
}

const examplesPerReason = 5;

/** Counts rejections by reason, and keeps the first five of each as examples. */
export class Rejections {
  readonly #summaries = new Map<string, RejectionSummary>();

  constructor(private readonly onRejection: (rejection: Rejection) => void) {}

  add(rejection: Rejection): void {
    const { resource, reason, key, name } = rejection;
    const id = `${resource} ${reason}`;
    const summary = this.#summaries.get(id) ?? { resource, reason, count: 0, examples: [] };
    this.#summaries.set(id, summary);
    summary.count++;
    if (summary.examples.length < examplesPerReason)
      summary.examples.push(name === undefined ? key : `${key} (${name})`);
    this.onRejection(rejection);
  }

  summarize(): RejectionSummary[] {
    return [...this.#summaries.values()].sort((one, other) => other.count - one.count);
  }
}

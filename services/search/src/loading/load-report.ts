import type { FhirVersion } from '@tributary/contracts';
import type { ReleaseSource } from './release';

/** A resource, or a row of a list, that was rejected. */
export interface Rejection {
  /** A row of an endpoint list counts as an Organization, and its address as an Endpoint. */
  resource: 'Organization' | 'Endpoint' | 'entry';
  /** Its fullUrl, or else its position in the file. */
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

export interface MergeSummary {
  reason: string;
  /** Number of organizations that became part of another entry. */
  count: number;
  examples: string[];
}

export type FileFormat = 'brands' | 'list';

export interface LoadReport {
  source: string;
  origin: string;
  status: 'loaded' | 'unchanged';
  /** `brands`: a Bundle of SMART User-access Brands; `list`: rows as Lantern publishes them. Null when unchanged. */
  format: FileFormat | null;
  /** Number of health systems of this source after the load. */
  total: number;
  added: number;
  changed: number;
  removed: number;
  /** Number of organizations in the file: those of `total`, of `merged`, and of `rejected` together. */
  organizations: number;
  /** Number of Endpoint resources in the file; of a list, the number of different addresses. */
  endpoints: number;
  /** Number of usable endpoints by how their FHIR release was found. */
  releases: Record<ReleaseSource, number>;
  merged: MergeSummary[];
  rejected: RejectionSummary[];
  seconds: number;
  /** The first health systems of the source, by name. */
  entry: { id: number; name: string; address: string; fhirVersions: FhirVersion[] }[];
}

const examplesPerReason = 5;

/** Counts rejections and merges by reason, and keeps the first five of each as examples. */
export class LoadCounts {
  readonly #rejected = new Map<string, RejectionSummary>();
  readonly #merged = new Map<string, MergeSummary>();

  constructor(private readonly onRejection: (rejection: Rejection) => void) {}

  reject(rejection: Rejection): void {
    const { resource, reason, key, name } = rejection;
    const id = `${resource} ${reason}`;
    const summary = this.#rejected.get(id) ?? { resource, reason, count: 0, examples: [] };
    this.#rejected.set(id, summary);
    summary.count++;
    if (summary.examples.length < examplesPerReason)
      summary.examples.push(name === undefined ? key : `${key} (${name})`);
    this.onRejection(rejection);
  }

  /** @param count number of organizations that became part of the entry of this name */
  merge(reason: string, name: string, count: number): void {
    if (count === 0) return;
    const summary = this.#merged.get(reason) ?? { reason, count: 0, examples: [] };
    this.#merged.set(reason, summary);
    summary.count += count;
    if (summary.examples.length < examplesPerReason && !summary.examples.includes(name)) summary.examples.push(name);
  }

  summarize(): Pick<LoadReport, 'rejected' | 'merged'> {
    const byCount = (one: { count: number }, other: { count: number }): number => other.count - one.count;
    return {
      rejected: [...this.#rejected.values()].sort(byCount),
      merged: [...this.#merged.values()].sort(byCount),
    };
  }
}

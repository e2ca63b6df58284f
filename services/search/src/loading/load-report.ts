import type { FhirVersion } from '@tributary/contracts';
import { Tally } from '../tally';
import type { ReleaseSource } from './release';

/** A resource, or a row of a list, that was rejected. */
export interface Rejection {
  /** A row of an endpoint list counts as an Organization, and its address as an Endpoint. */
  resource: 'Organization' | 'Endpoint' | 'entry';
  /** Its fullUrl or id, or else its position in the file. */
  key: string;
  name?: string;
  reason: string;
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
  /** `count` is the number of organizations that became part of another entry. */
  merged: { reason: string; count: number; examples: string[] }[];
  rejected: (Pick<Rejection, 'resource' | 'reason'> & { count: number; examples: string[] })[];
  seconds: number;
  /** The first health systems of the source, by name. */
  entry: { id: number; name: string; address: string; fhirVersions: FhirVersion[] }[];
}

/** What a load leaves out or merges. */
export class LoadCounts {
  readonly rejections: Rejection[] = [];
  readonly #rejected = new Tally<Pick<Rejection, 'resource' | 'reason'>>();
  readonly #merged = new Tally<{ reason: string }>();

  /** @param name as it was published, whatever it is */
  reject(resource: Rejection['resource'], key: string, reason: string, name?: unknown): void {
    const named = typeof name === 'string' ? { name } : {};
    this.rejections.push({ resource, key, ...named, reason });
    this.#rejected.add({ resource, reason }, typeof name === 'string' ? `${key} (${name})` : key);
  }

  /** @param count number of organizations that became part of the entry of this name */
  merge(reason: string, name: string, count: number): void {
    if (count > 0) this.#merged.add({ reason }, name, count);
  }

  summarize(): Pick<LoadReport, 'rejected' | 'merged'> {
    return { rejected: this.#rejected.sorted(), merged: this.#merged.sorted() };
  }
}

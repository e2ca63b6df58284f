import { referredToBy } from './references';
import type { StoredResource } from './stored-resource';

/** Resources in a fixed order; a very long list generates each on access. */
export interface ResourceList {
  readonly length: number;
  at(index: number): StoredResource | undefined;
  /** The `lastUpdated` of a resource, if it is known without generating the resource. */
  lastUpdated?(index: number): number;
}

/** The record of one person in one release. */
export interface PatientRecord {
  /** The id of the Patient resource. */
  readonly patientId: string;
  /** The types of the record. Types that are not `searchable` are only read, through references. */
  types(): { type: string; searchable: boolean }[];
  /** The resources of a type that a search can return. */
  list(type: string): ResourceList;
  read(type: string, id: string): StoredResource | undefined;
  /** Adds or replaces a resource; absent on records that are generated on access. */
  put?(resource: StoredResource): void;
  /** Removes a resource. @returns whether it existed */
  remove?(type: string, id: string): boolean;
  /** Whether a resource was removed. */
  wasRemoved?(type: string, id: string): boolean;
}

/** Types without a reference to a patient: they belong to a record because a resource of it refers to them. */
const sharedTypes = new Set([
  'Practitioner',
  'PractitionerRole',
  'Organization',
  'Location',
  'Medication',
  'HealthcareService',
  'Endpoint',
  'Substance',
  'Binary',
  'Questionnaire',
]);

/** A record in memory. */
export class StoredRecord implements PatientRecord {
  private searchable = new Map<string, StoredResource[]>();
  private referenced = new Set<string>();
  private readonly byReference = new Map<string, StoredResource>();
  private readonly removed = new Set<string>();
  readonly patientId: string;

  constructor(resources: StoredResource[]) {
    for (const resource of resources) this.byReference.set(`${resource.type}/${resource.id}`, resource);
    this.patientId = resources.find((resource) => resource.type === 'Patient')?.id ?? '';
    this.arrange();
  }

  put(resource: StoredResource): void {
    this.byReference.set(`${resource.type}/${resource.id}`, resource);
    this.removed.delete(`${resource.type}/${resource.id}`);
    this.arrange();
  }

  remove(type: string, id: string): boolean {
    const known = this.byReference.delete(`${type}/${id}`);
    if (known) this.removed.add(`${type}/${id}`);
    this.arrange();
    return known;
  }

  wasRemoved(type: string, id: string): boolean {
    return this.removed.has(`${type}/${id}`);
  }

  types(): { type: string; searchable: boolean }[] {
    const readOnly = [...this.referenced].filter((type) => !this.searchable.has(type));
    return [
      ...[...this.searchable.keys()].map((type) => ({ type, searchable: true })),
      ...readOnly.map((type) => ({ type, searchable: false })),
    ];
  }

  list(type: string): ResourceList {
    return this.searchable.get(type) ?? [];
  }

  read(type: string, id: string): StoredResource | undefined {
    return this.byReference.get(`${type}/${id}`);
  }

  /**
   * Separates searchable resources from the shared ones that a collector reaches by following references from those of
   * the patient. A resource that no reference leads to must be searchable: otherwise a collector could not find it.
   */
  private arrange(): void {
    this.searchable = new Map();
    this.referenced = new Set();
    const reachable = referredToBy(
      [...this.byReference.values()].filter(({ type }) => !sharedTypes.has(type)),
      (reference) => (sharedTypes.has(reference.split('/')[0]!) ? this.byReference.get(reference) : undefined),
    );
    for (const [reference, resource] of this.byReference) {
      if (reachable.has(reference)) this.referenced.add(resource.type);
      else this.searchableOf(resource.type).push(resource);
    }
  }

  private searchableOf(type: string): StoredResource[] {
    const known = this.searchable.get(type) ?? [];
    this.searchable.set(type, known);
    return known;
  }
}

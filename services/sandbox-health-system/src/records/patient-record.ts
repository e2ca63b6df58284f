import { referencesIn } from './references';
import type { StoredResource } from './stored-resource';

/** Resources in a fixed order; a very long list makes each only when it is asked for. */
export interface ResourceList {
  readonly length: number;
  at(index: number): StoredResource | undefined;
  /** When a resource was last changed, where that is known without making it. */
  lastUpdated?(index: number): number;
}

/** What one person's record in one release offers to the FHIR API. */
export interface PatientRecord {
  /** The id of the person's own Patient resource. */
  readonly patientId: string;
  /** The types of the record: with `searchable` a search finds them, without they are only read through a reference. */
  types(): { type: string; searchable: boolean }[];
  /** Every resource of a type that a search may find. */
  list(type: string): ResourceList;
  read(type: string, id: string): StoredResource | undefined;
  /** Takes in a resource, in place of the one with its id when there is one; absent on records that are made as they are read. */
  put?(resource: StoredResource): void;
  /** Tells whether there was such a resource. */
  remove?(type: string, id: string): boolean;
}

/** Types that tell of no patient: they belong to a record because something in it refers to them. */
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

/** A record whose resources all lie in memory. */
export class StoredRecord implements PatientRecord {
  private searchable = new Map<string, StoredResource[]>();
  private referenced = new Set<string>();
  private readonly byReference = new Map<string, StoredResource>();
  readonly patientId: string;

  constructor(resources: StoredResource[]) {
    for (const resource of resources) this.byReference.set(`${resource.type}/${resource.id}`, resource);
    this.patientId = resources.find((resource) => resource.type === 'Patient')?.id ?? '';
    this.arrange();
  }

  put(resource: StoredResource): void {
    this.byReference.set(`${resource.type}/${resource.id}`, resource);
    this.arrange();
  }

  remove(type: string, id: string): boolean {
    const known = this.byReference.delete(`${type}/${id}`);
    this.arrange();
    return known;
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

  /** Parts what a search finds from what is only read through a reference. */
  private arrange(): void {
    this.searchable = new Map();
    this.referenced = new Set();
    const reachable = this.reachableThroughReferences();
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

  /**
   * The shared resources that a collector comes to by following references from the patient's own.
   * One to which nothing leads would be lost to it, so a search has to find that one.
   */
  private reachableThroughReferences(): Set<string> {
    const reached = new Set<string>();
    const open = [...this.byReference.values()].filter((resource) => !sharedTypes.has(resource.type));
    for (let resource = open.pop(); resource; resource = open.pop()) {
      for (const reference of referencesIn(resource.text)) {
        const target = this.byReference.get(reference);
        if (!target || !sharedTypes.has(target.type) || reached.has(reference)) continue;
        reached.add(reference);
        open.push(target);
      }
    }
    return reached;
  }
}

import type { PatientRecord, ResourceList } from '../records/patient-record';
import { type StoredResource, storedResource } from '../records/stored-resource';
import type { Release } from '../releases';

/** All resources of the scenario were last updated then. */
const writtenAt = Date.parse('2024-03-01T00:00:00Z');

export const motherOf = (childId: string): string => `mother-of-${childId}`.slice(0, 64);

function encounter(release: Release, id: string, patientId: string, members: object = {}): object {
  return {
    resourceType: 'Encounter',
    id,
    status: 'finished',
    class: release === 'dstu2' ? 'inpatient' : { code: 'IMP' },
    [release === 'dstu2' ? 'patient' : 'subject']: { reference: `Patient/${patientId}` },
    ...members,
  };
}

/** What searches for the child return beside the child's record: its birth, and the insurance of the mother. */
function ofChild(release: Release, childId: string): object[] {
  const child = { reference: `Patient/${childId}` };
  const mother = { reference: `Patient/${motherOf(childId)}` };
  return [
    encounter(release, 'birth', childId, { partOf: { reference: 'Encounter/delivery' } }),
    // DSTU2 has no beneficiary: its Coverage belongs to the compartment of the subscriber.
    ...(release === 'dstu2'
      ? []
      : [{ resourceType: 'Coverage', id: 'family', status: 'active', beneficiary: child, subscriber: mother }]),
  ];
}

/** The mother's own record. Only the Patient and the delivery are referred to by resources of the child. */
function ofMother(release: Release, childId: string): object[] {
  const id = motherOf(childId);
  const patient = { reference: `Patient/${id}` };
  return [
    { resourceType: 'Patient', id, gender: 'female', name: [{ text: 'The mother' }] },
    encounter(release, 'delivery', id),
    encounter(release, 'mothers-other-encounter', id),
    {
      resourceType: 'Condition',
      id: 'mothers-condition',
      verificationStatus: release === 'r4' ? { coding: [{ code: 'confirmed' }] } : 'confirmed',
      code: { text: 'a condition of the mother' },
      [release === 'dstu2' ? 'patient' : 'subject']: patient,
      encounter: { reference: 'Encounter/delivery' },
    },
  ];
}

/**
 * The record of a child with resources of its mother, which can be read, and which searches for the child do not
 * return.
 */
export class RecordWithMother implements PatientRecord {
  readonly patientId: string;
  readonly #searchable: StoredResource[];
  readonly #readable: StoredResource[];

  constructor(
    private readonly child: PatientRecord,
    release: Release,
  ) {
    this.patientId = child.patientId;
    const stored = (resources: object[]): StoredResource[] =>
      resources.flatMap((resource) => storedResource(JSON.stringify(resource), writtenAt) ?? []);
    this.#searchable = stored(ofChild(release, child.patientId));
    this.#readable = stored(ofMother(release, child.patientId));
  }

  types(): { type: string; searchable: boolean }[] {
    return [...this.child.types(), ...this.#searchable.map(({ type }) => ({ type, searchable: true }))];
  }

  list(type: string): ResourceList {
    const own = this.child.list(type);
    const added = this.#searchable.filter((resource) => resource.type === type);
    return {
      length: own.length + added.length,
      at: (index) => (index < own.length ? own.at(index) : added[index - own.length]),
    };
  }

  read(type: string, id: string): StoredResource | undefined {
    const added = [...this.#searchable, ...this.#readable].find(
      (resource) => resource.type === type && resource.id === id,
    );
    return added ?? this.child.read(type, id);
  }

  wasRemoved(type: string, id: string): boolean {
    return this.child.wasRemoved?.(type, id) ?? false;
  }
}

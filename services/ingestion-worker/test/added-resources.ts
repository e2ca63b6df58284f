/** A resource that a test adds to a source record. */
export interface AddedResource {
  resourceType: string;
  id: string;
  [element: string]: unknown;
}

const observation = (patient: string, id: string, category?: string): AddedResource => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  ...(category ? { category: [{ coding: [{ code: category }] }] } : {}),
  code: { text: 'An observation' },
  subject: { reference: `Patient/${patient}` },
});

/** This many Observations without a category. */
export function observations(patient: string, count: number): AddedResource[] {
  return Array.from({ length: count }, (_x, index) => observation(patient, `observation-${index + 1}`));
}

/** Observations of categories that US Core and vendors have added, and of none; a CarePlan and a Condition alike. */
export function newerCategories(patient: string): AddedResource[] {
  const categories = ['sdoh', 'functional-status', 'care-experience-preference', 'core-characteristics', undefined];
  return [
    ...categories.map((category) => observation(patient, `observation-${category ?? 'without'}`, category)),
    {
      resourceType: 'CarePlan',
      id: 'longitudinal',
      status: 'active',
      intent: 'plan',
      category: [{ coding: [{ system: 'http://snomed.info/sct', code: '38717003' }] }],
      subject: { reference: `Patient/${patient}` },
    },
    {
      resourceType: 'Condition',
      id: 'cognitive',
      category: [{ coding: [{ code: 'cognitive-status' }] }],
      subject: { reference: `Patient/${patient}` },
    },
  ];
}

/** One resource of each type that US Core 6 to 8 has added. */
export function laterUsCoreTypes(patient: string): AddedResource[] {
  const subject = { reference: `Patient/${patient}` };
  return [
    {
      resourceType: 'MedicationDispense',
      id: 'dispensed',
      status: 'completed',
      medicationCodeableConcept: { text: 'a medication' },
      subject,
    },
    { resourceType: 'QuestionnaireResponse', id: 'answered', status: 'completed', subject },
    {
      resourceType: 'FamilyMemberHistory',
      id: 'mother',
      status: 'completed',
      patient: subject,
      relationship: { text: 'mother' },
    },
  ];
}

/** Provenance of the patient, of an Observation, and of both. */
export function provenance(patient: string): AddedResource[] {
  const of = (id: string, ...targets: string[]): AddedResource => ({
    resourceType: 'Provenance',
    id,
    target: targets.map((reference) => ({ reference })),
    recorded: '2024-01-01T00:00:00Z',
    agent: [{ who: { display: 'A system' } }],
  });
  return [
    observation(patient, 'with-provenance', 'laboratory'),
    of('of-patient', `Patient/${patient}`),
    of('of-observation', 'Observation/with-provenance'),
    of('of-both', `Patient/${patient}`, 'Observation/with-provenance'),
  ];
}

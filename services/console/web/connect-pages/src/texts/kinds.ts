/** What resources are in the words of daily life, most important first. */
export const kinds = [
  'problems',
  'allergies',
  'medicines',
  'results',
  'reports',
  'vaccinations',
  'procedures',
  'visits',
  'documents',
  'plans',
  'family',
  'insurance',
  'person',
  'doctors',
  'other',
] as const;
export type Kind = (typeof kinds)[number];

const typesOfKinds: Partial<Record<Kind, readonly string[]>> = {
  problems: ['Condition'],
  allergies: ['AllergyIntolerance'],
  medicines: [
    'Medication',
    'MedicationAdministration',
    'MedicationDispense',
    'MedicationOrder',
    'MedicationRequest',
    'MedicationStatement',
  ],
  results: ['Observation', 'Specimen'],
  reports: ['DiagnosticReport', 'ImagingStudy', 'Media'],
  vaccinations: ['Immunization', 'ImmunizationRecommendation'],
  procedures: ['Procedure'],
  visits: ['Appointment', 'Encounter', 'EpisodeOfCare'],
  documents: ['Binary', 'Composition', 'DocumentReference'],
  plans: ['CarePlan', 'CareTeam', 'DiagnosticOrder', 'Goal', 'ProcedureRequest', 'ReferralRequest', 'ServiceRequest'],
  family: ['FamilyMemberHistory'],
  insurance: ['Claim', 'Coverage', 'ExplanationOfBenefit'],
  person: ['Patient', 'RelatedPerson'],
  doctors: ['HealthcareService', 'Location', 'Organization', 'Practitioner', 'PractitionerRole'],
};
const kindOfType = new Map(
  Object.entries(typesOfKinds).flatMap(([kind, types]) => types.map((type) => [type, kind as Kind] as const)),
);

function kindOf(type: string): Kind {
  return kindOfType.get(type) ?? 'other';
}

/** The kinds of resource types, most important first. @param types absent: all */
export function kindsOf(types: readonly string[] | undefined): Kind[] {
  const asked = types && new Set(types.map(kindOf));
  return kinds.filter((kind) => !asked || asked.has(kind));
}

/** Groups what belongs to a resource type by kind, most important first. */
export function byKind<T extends { type: string }>(items: readonly T[]): [Kind, T[]][] {
  return kinds.flatMap((kind) => {
    const ofKind = items.filter(({ type }) => kindOf(type) === kind);
    return ofKind.length === 0 ? [] : [[kind, ofKind] as [Kind, T[]]];
  });
}

const launchScopes = new Set([
  'openid',
  'fhirUser',
  'profile',
  'offline_access',
  'online_access',
  'launch/patient',
  'launch',
]);
const resourceScope = /^(?:patient|user)\/(\*|[A-Z][A-Za-z]+)\.(read|\*|c?r?u?d?s?)(\?.+)?$/;

/** The requested scopes that the sandbox supports; unknown ones are not granted (RFC 6749, section 3.3). */
export function grantableScopes(asked: string): string[] {
  const scopes = asked.split(' ').filter((scope) => launchScopes.has(scope) || readable(scope));
  return [...new Set(scopes)];
}

/** Whether the scopes allow to read (or search) a resource type; `all` means every type. */
export function permits(scopes: string[], type: string, interaction: 'read' | 'search'): boolean {
  return scopes.some((scope) => {
    const match = resourceScope.exec(scope);
    if (!match || (match[1] !== '*' && match[1] !== type)) return false;
    const permission = match[2]!;
    return permission === 'read' || permission === '*' || permission.includes(interaction === 'read' ? 'r' : 's');
  });
}

const meanings = new Map(
  Object.entries({
    openid: 'Know who you are',
    fhirUser: 'Know who you are',
    profile: 'Know who you are',
    'launch/patient': 'Know which record is yours',
    launch: 'Know which record is yours',
    'patient/*':
      'See everything in your health record, such as health problems, allergies, prescriptions, lab results, vital signs, visits, documents and insurance',
  }),
);

/** What the entries of a type are called in daily life. */
const namesOfTypes = new Map(
  Object.entries({
    AllergyIntolerance: 'allergies',
    Appointment: 'appointments',
    Binary: 'notes and documents',
    CarePlan: 'care plans',
    CareTeam: 'care team',
    Claim: 'insurance claims',
    Condition: 'health problems',
    Coverage: 'insurance',
    Device: 'medical devices',
    DiagnosticReport: 'test reports',
    DocumentReference: 'notes and documents',
    Encounter: 'visits',
    ExplanationOfBenefit: 'insurance claims',
    FamilyMemberHistory: 'family history',
    Goal: 'health goals',
    Immunization: 'vaccinations',
    Location: 'places of care',
    MedicationDispense: 'medicines from the pharmacy',
    MedicationOrder: 'prescriptions',
    MedicationRequest: 'prescriptions',
    MedicationStatement: 'medicines',
    Observation: 'lab results and vital signs',
    Organization: 'places of care',
    Patient: 'name, birth date, address and telephone number',
    Practitioner: 'doctors and nurses',
    PractitionerRole: 'doctors and nurses',
    Procedure: 'treatments and operations',
    RelatedPerson: 'family and contacts',
    ServiceRequest: 'referrals and orders',
    Specimen: 'samples for lab tests',
  }),
);

/** The description of a scope on the consent page; none of those that concern the time of access only. */
export function describeScope(scope: string): string | undefined {
  if (scope === 'offline_access' || scope === 'online_access') return undefined;
  const [before] = scope.split('.');
  const type = before!.slice(before!.indexOf('/') + 1);
  return meanings.get(before!) ?? `See your ${namesOfTypes.get(type) ?? words(type)}`;
}

function words(type: string): string {
  return `${type.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()} entries`;
}

/** Scopes of the user are granted by scenarios only. */
function readable(scope: string): boolean {
  if (!scope.startsWith('patient/')) return false;
  const permission = resourceScope.exec(scope)?.[2];
  return permission !== undefined && (permission === 'read' || permission === '*' || /[rs]/.test(permission));
}

/** Code systems of AuditEvent (https://hl7.org/fhir/R4/auditevent.html) and of IHE BALP. */
export const systems = {
  eventType: 'http://terminology.hl7.org/CodeSystem/audit-event-type',
  dicom: 'http://dicom.nema.org/resources/ontology/DCM',
  interaction: 'http://hl7.org/fhir/restful-interaction',
  action: 'http://hl7.org/fhir/audit-event-action',
  outcome: 'http://terminology.hl7.org/CodeSystem/audit-event-outcome',
  entityType: 'http://terminology.hl7.org/CodeSystem/audit-entity-type',
  objectRole: 'http://terminology.hl7.org/CodeSystem/object-role',
  participation: 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType',
  provenanceParticipant: 'http://terminology.hl7.org/CodeSystem/provenance-participant-type',
  sourceType: 'http://terminology.hl7.org/CodeSystem/security-source-type',
  balpEntityType: 'https://profiles.ihe.net/ITI/BALP/CodeSystem/BasicAuditEntityType',
} as const;

export interface Coding {
  system: string;
  code: string;
  display?: string;
}

/**
 * Identifier systems of this installation: of users, client applications, developers, services, operators and kinds of
 * events.
 * @param baseUrl the public address of the installation
 */
export function ownSystems(baseUrl: string) {
  const system = (name: string): string => `${baseUrl}/audit/${name}`;
  return {
    user: system('service-user-id'),
    client: system('client-id'),
    developer: system('developer'),
    service: system('service'),
    operator: system('operator'),
    kind: system('kind'),
  };
}
export type OwnSystems = ReturnType<typeof ownSystems>;

const dicom = (code: string, display: string): Coding => ({ system: systems.dicom, code, display });

export const dicomCodes = {
  applicationActivity: dicom('110100', 'Application Activity'),
  auditLogUsed: dicom('110101', 'Audit Log Used'),
  export: dicom('110106', 'Export'),
  import: dicom('110107', 'Import'),
  patientRecord: dicom('110110', 'Patient Record'),
  securityAlert: dicom('110113', 'Security Alert'),
  userAuthentication: dicom('110114', 'User Authentication'),
  application: dicom('110150', 'Application'),
  destination: dicom('110152', 'Destination Role ID'),
  source: dicom('110153', 'Source Role ID'),
} as const;

const rest: Coding = { system: systems.eventType, code: 'rest', display: 'RESTful Operation' };

/** The type of an event by the first part of its kind, or by the whole kind. */
const typesOfKinds: ReadonlyMap<string, Coding> = new Map(
  Object.entries({
    fhir: rest,
    collection: dicomCodes.import,
    record: dicomCodes.patientRecord,
    export: dicomCodes.export,
    download: dicomCodes.export,
    'webhook.sent': dicomCodes.export,
    webhook: dicomCodes.securityAlert,
    token: dicomCodes.userAuthentication,
    code: dicomCodes.userAuthentication,
    grant: dicomCodes.userAuthentication,
    connect: dicomCodes.patientRecord,
    connection: dicomCodes.patientRecord,
    consent: dicomCodes.patientRecord,
    user: dicomCodes.patientRecord,
    client: dicomCodes.securityAlert,
    registration: dicomCodes.securityAlert,
    directory: dicomCodes.securityAlert,
    key: dicomCodes.securityAlert,
    limit: dicomCodes.securityAlert,
    audit: dicomCodes.auditLogUsed,
  }),
);

/** The type of an event; other kinds are activities of the application. */
export function typeOfKind(kind: string): Coding {
  return typesOfKinds.get(kind) ?? typesOfKinds.get(kind.split('.')[0] ?? '') ?? dicomCodes.applicationActivity;
}

const interaction = /^fhir\.(read|vread|search|history|operation|create|update|patch|delete)$/;

/** The subtype of an event: an interaction of FHIR, or else its kind. */
export function subtypeOfKind(kind: string, { kind: system }: OwnSystems): Coding {
  const [, code] = interaction.exec(kind) ?? [];
  return code === undefined ? { system, code: kind } : { system: systems.interaction, code };
}

/** https://hl7.org/fhir/R4/valueset-audit-event-outcome.html */
export const outcomeCodes = { success: '0', begun: '0', refused: '4', aborted: '4', failed: '8' } as const;

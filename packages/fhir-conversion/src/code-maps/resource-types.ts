/** Resource types that have another name in R4. Their instances keep their ids. */
export const renamedResourceTypes: Readonly<Record<string, string | undefined>> = {
  BodySite: 'BodyStructure',
  Conformance: 'CapabilityStatement',
  DeviceUseRequest: 'DeviceRequest',
  DiagnosticOrder: 'ServiceRequest',
  EligibilityRequest: 'CoverageEligibilityRequest',
  EligibilityResponse: 'CoverageEligibilityResponse',
  MedicationOrder: 'MedicationRequest',
  ProcedureRequest: 'ServiceRequest',
  ReferralRequest: 'ServiceRequest',
  Sequence: 'MolecularSequence',
};

/** Resource types with another name in R4. References to them are renamed; the ids are the same. */
export const renamedResourceTypes: ReadonlyMap<string, string> = new Map(
  Object.entries({
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
  }),
);

/**
 * Types whose resources are converted to the R4 type of another name. Resources of the other renamed types are not
 * converted.
 */
const renamedConvertibleTypes: ReadonlySet<string> = new Set(['MedicationOrder']);

/** The R4 type to which resources of a convertible type are converted. */
export function convertedType(resourceType: string): string {
  return renamedConvertibleTypes.has(resourceType)
    ? (renamedResourceTypes.get(resourceType) ?? resourceType)
    : resourceType;
}

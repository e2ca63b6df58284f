/** A class of encounters in R4. */
export interface EncounterClass {
  readonly code: string;
  readonly display: string;
  /** True where the class of dstu2 says more than that of R4. */
  readonly wider?: true;
}

export const ACT_CODE = 'http://terminology.hl7.org/CodeSystem/v3-ActCode';

/** The code system of the classes of dstu2; one that R4 has no class for keeps its own code. */
export const OLD_ENCOUNTER_CLASS = 'http://hl7.org/fhir/encounter-class';

/** Encounter.class of dstu2. */
export const encounterClasses: Readonly<Record<string, EncounterClass | undefined>> = {
  inpatient: { code: 'IMP', display: 'inpatient encounter' },
  outpatient: { code: 'AMB', display: 'ambulatory', wider: true },
  ambulatory: { code: 'AMB', display: 'ambulatory' },
  emergency: { code: 'EMER', display: 'emergency' },
  home: { code: 'HH', display: 'home health' },
  field: { code: 'FLD', display: 'field' },
  daytime: { code: 'SS', display: 'short stay', wider: true },
  virtual: { code: 'VR', display: 'virtual' },
};

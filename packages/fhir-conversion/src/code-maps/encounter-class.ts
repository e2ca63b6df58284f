/** A class of encounters in R4: https://terminology.hl7.org/ValueSet-v3-ActEncounterCode.html. */
export interface EncounterClass {
  readonly code: string;
  readonly display: string;
  /** True when the R4 class is more general than that of DSTU2. */
  readonly wider?: true;
}

export const ACT_CODE = 'http://terminology.hl7.org/CodeSystem/v3-ActCode';

/** The code system of DSTU2, for codes that have no class in R4. */
export const OLD_ENCOUNTER_CLASS = 'http://hl7.org/fhir/encounter-class';

/** R4 classes by the code of Encounter.class in DSTU2. */
export const encounterClasses: ReadonlyMap<string, EncounterClass> = new Map(
  Object.entries({
    inpatient: { code: 'IMP', display: 'inpatient encounter' },
    outpatient: { code: 'AMB', display: 'ambulatory', wider: true },
    ambulatory: { code: 'AMB', display: 'ambulatory' },
    emergency: { code: 'EMER', display: 'emergency' },
    home: { code: 'HH', display: 'home health' },
    field: { code: 'FLD', display: 'field' },
    daytime: { code: 'SS', display: 'short stay', wider: true },
    virtual: { code: 'VR', display: 'virtual' },
  }),
);

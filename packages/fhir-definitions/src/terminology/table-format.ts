/** The derived tables of one release. */
export interface TerminologyTables {
  /** Codes by the URL of the code system. */
  readonly systems: Readonly<Record<string, CodeTree>>;
  /** By the URL of the value set: the code system whose codes it has all, or its parts. */
  readonly valueSets: Readonly<Record<string, string | ValueSetTable>>;
}

/** Codes, each followed by an array of its children if it has any. */
export type CodeTree = readonly (string | CodeTree)[];

/** The parts of a value set: https://hl7.org/fhir/R4/valueset.html#compose. */
export interface ValueSetTable {
  readonly include: readonly ValueSetPart[];
  readonly exclude?: readonly ValueSetPart[];
}

/** A part of a value set: the codes of its system that are also in all of its value sets. */
export interface ValueSetPart {
  readonly system?: string;
  /** Codes of the system. Absent: all codes. */
  readonly codes?: readonly string[];
  /** Restrictions to codes that have a relation to another code of the system. */
  readonly filters?: readonly (readonly [relation: CodeRelation, code: string])[];
  readonly valueSets?: readonly string[];
}

/** https://hl7.org/fhir/R4/valueset-filter-operator.html */
export type CodeRelation = 'is-a' | 'descendent-of' | 'is-not-a';

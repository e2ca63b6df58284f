/** The code systems and value sets of one release as the script writes them. */
export interface TerminologyTables {
  /** Url → codes, each followed by an array of the codes below it if there are any. */
  readonly systems: Readonly<Record<string, CodeTree>>;
  /** Url → the code system that a value set is all of, or its parts. */
  readonly valueSets: Readonly<Record<string, string | ValueSetTable>>;
}

export type CodeTree = readonly (string | CodeTree)[];

export interface ValueSetTable {
  readonly include: readonly ValueSetPart[];
  readonly exclude?: readonly ValueSetPart[];
}

/** A part of a value set: the codes of its system that also lie in every value set it names. */
export interface ValueSetPart {
  readonly system?: string;
  /** Only these codes of the system; absent: all. */
  readonly codes?: readonly string[];
  /** Only codes that stand so to another code of the system. */
  readonly filters?: readonly (readonly [relation: CodeRelation, code: string])[];
  readonly valueSets?: readonly string[];
}

/** The relations of the hierarchy by which a value set may choose codes. */
export type CodeRelation = 'is-a' | 'descendent-of' | 'is-not-a';

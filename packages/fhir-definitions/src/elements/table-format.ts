/** One release as the script writes it: compact, and read at once by readElementModel. */
export interface ElementTables {
  /** The version of FHIR: "4.0.1". */
  readonly version: string;
  readonly types: Readonly<Record<string, TypeTable>>;
  /** The codes of each value set that a required binding names, by code system; dstu2 tells no systems: ''. */
  readonly valueSets: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

export interface TypeTable {
  readonly kind: TypeKind;
  readonly base?: string;
  readonly abstract?: boolean;
  /** The regular expression which the specification gives for a primitive type. */
  readonly pattern?: string;
  /** The type's own elements: "1..1 code =observation-status", "0..* Reference(Patient,Group)|string", "0..1 Quantity:SimpleQuantity". */
  readonly elements?: Readonly<Record<string, string>>;
}

export type TypeKind = 'resource' | 'complex' | 'backbone' | 'primitive';

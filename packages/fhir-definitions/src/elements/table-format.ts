/** The derived tables of one release. readElementModel parses them. */
export interface ElementTables {
  /** The FHIR version: "4.0.1". */
  readonly version: string;
  readonly types: Readonly<Record<string, TypeTable>>;
  /** The codes of each value set of a required binding, by code system. DSTU2 does not name the systems: ''. */
  readonly valueSets: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** One type. */
export interface TypeTable {
  readonly kind: TypeKind;
  readonly base?: string;
  readonly abstract?: boolean;
  /** The published regular expression of a primitive type. */
  readonly pattern?: string;
  /**
   * The type's own elements: "1..1 code =observation-status", "0..* Reference(Patient,Group)|string",
   * "0..1 Quantity:SimpleQuantity".
   */
  readonly elements?: Readonly<Record<string, string>>;
  /** The properties in the summary of a resource type, separated by spaces. */
  readonly summary?: string;
}

/**
 * `backbone` is a component of a resource or data type; the others are
 * https://hl7.org/fhir/R4/valueset-structure-definition-kind.html.
 */
export type TypeKind = 'resource' | 'complex' | 'backbone' | 'primitive';

import type { Release } from '../release';
import type { TypeKind } from './table-format';

/**
 * The types of a release and their elements, from its StructureDefinitions:
 * https://hl7.org/fhir/R4/structuredefinition.html.
 */
export interface ElementModel {
  readonly release: Release;
  /** The FHIR version: "4.0.1". */
  readonly version: string;
  /** A resource type ("Patient"), data type ("HumanName", "code") or component of one ("Patient.contact"). */
  type(name: string): ElementType | undefined;
  /**
   * Whether a type is `ancestor` or derived from it: Age is a Quantity, code is a string, Patient is a DomainResource.
   */
  isSubtype(name: string, ancestor: string): boolean;
}

/** A type with all its elements, including inherited ones. */
export interface ElementType {
  readonly name: string;
  readonly kind: TypeKind;
  readonly base?: string;
  /** Whether the type has no instances: Resource, DomainResource, Element, BackboneElement. */
  readonly abstract: boolean;
  /** The published regular expression of a primitive type. Its running time can be exponential. */
  readonly pattern?: string;
  /** Elements by name, a choice without "[x]". Inherited elements are first. */
  readonly elements: ReadonlyMap<string, ElementDefinition>;
  /** Elements by property name in JSON. A choice has a property for each of its types: valueQuantity, valueString. */
  readonly properties: ReadonlyMap<string, ElementProperty>;
  /** The properties in the summary of a resource: https://hl7.org/fhir/R4/search.html#summary. */
  readonly summary: ReadonlySet<string>;
}

/** One element of a type. */
export interface ElementDefinition {
  /** The name without "[x]": "value". */
  readonly name: string;
  /** Whether it is a choice of types (`value[x]`): https://hl7.org/fhir/R4/formats.html#choice. */
  readonly choice: boolean;
  readonly min: number;
  /** Infinity for "*". 0 for a forbidden element. */
  readonly max: number;
  readonly types: readonly ElementTypeUse[];
  /** The value set of a required binding. Absent when its codes are unknown. */
  readonly binding?: ElementBinding;
}

/** A type that an element can have. */
export interface ElementTypeUse {
  /** The name of a type of the model. For a content reference, the component that it refers to. */
  readonly code: string;
  /** A profile that restricts the type, such as SimpleQuantity. */
  readonly profile?: string;
  /** The resource types that a Reference may refer to. Absent: any type. */
  readonly targets?: readonly string[];
}

/** A property in JSON: its element, and for a choice the type that the property name contains. */
export interface ElementProperty {
  readonly element: ElementDefinition;
  readonly type: ElementTypeUse;
}

/** The codes of a value set. */
export interface ElementBinding {
  readonly valueSet: string;
  readonly codes: ReadonlySet<string>;
  /** The codes by code system. Absent where the sources of the release do not name the systems (DSTU2). */
  readonly systems?: ReadonlyMap<string, ReadonlySet<string>>;
}

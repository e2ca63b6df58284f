import type { Release } from '../release';
import type { TypeKind } from './table-format';

/** What the specification of one release says of its types and their elements. */
export interface ElementModel {
  readonly release: Release;
  /** The version of FHIR: "4.0.1". */
  readonly version: string;
  /** A resource type ("Patient"), data type ("HumanName", "code") or component of one ("Patient.contact"). */
  type(name: string): ElementType | undefined;
  /** True when the type is `ancestor` or derives from it: Age is a Quantity, code is a string, Patient is a DomainResource. */
  isSubtype(name: string, ancestor: string): boolean;
}

/** A type with all its elements, those it inherits included. */
export interface ElementType {
  readonly name: string;
  readonly kind: TypeKind;
  readonly base?: string;
  /** True for types that only others derive from: Resource, DomainResource, Element, BackboneElement. */
  readonly abstract: boolean;
  /** The regular expression which the specification gives for a primitive type; it says nothing of its worst-case running time. */
  readonly pattern?: string;
  /** By the element's name, a choice without its "[x]"; those inherited come first. */
  readonly elements: ReadonlyMap<string, ElementDefinition>;
  /** By the name a property has in JSON; a choice has one for each of its types: valueQuantity, valueString. */
  readonly properties: ReadonlyMap<string, ElementProperty>;
}

/** One element of a type. */
export interface ElementDefinition {
  /** A choice stands without its "[x]": "value". */
  readonly name: string;
  /** True for `value[x]`: the name in JSON tells the type. */
  readonly choice: boolean;
  readonly min: number;
  /** Infinity for "*". An element with 0 is forbidden. */
  readonly max: number;
  readonly types: readonly ElementTypeUse[];
  /** The value set from which the code must come, when the binding is required and its codes are known. */
  readonly binding?: ElementBinding;
}

/** A type that an element can have. */
export interface ElementTypeUse {
  /** The name of a type of the model. A content reference names the component it refers to. */
  readonly code: string;
  /** The narrower data type that the value must obey, such as SimpleQuantity. */
  readonly profile?: string;
  /** The resource types that a Reference may point to; absent when it may be any. */
  readonly targets?: readonly string[];
}

export interface ElementProperty {
  readonly element: ElementDefinition;
  readonly type: ElementTypeUse;
}

/** The codes of a value set. */
export interface ElementBinding {
  readonly valueSet: string;
  readonly codes: ReadonlySet<string>;
  /** The codes of each code system; absent where the release's sources do not tell the systems (dstu2). */
  readonly systems?: ReadonlyMap<string, ReadonlySet<string>>;
}

/** https://hl7.org/fhir/R4/search.html#ptypes */
export type SearchParameterType =
  | 'token'
  | 'reference'
  | 'uri'
  | 'date'
  | 'string'
  | 'number'
  | 'quantity'
  | 'composite'
  | 'special';

/** One step of a path from a resource to a value. */
export interface PathStep {
  /** The property name in JSON, such as `valueQuantity`. */
  property: string;
  /** The element name, without the type of a choice: `value`. */
  element: string;
  repeats: boolean;
  /** Selects the item at this index. */
  index?: number;
  /** Selects items whose child `name` has this value. */
  where?: { name: string; equals: string };
}

/** One path of a search parameter's expression, and the type of its values. */
export interface SearchPath {
  steps: readonly PathStep[];
  /** A FHIR type, or `present`: true when one of the `anyOf` properties exists and is not false. */
  type: string;
  anyOf?: readonly string[];
  /** Selects references to this resource type. */
  resolvesTo?: string;
  /** The code systems of a `code`, from its binding. */
  systems?: readonly string[];
  /** In a component of a composite: the path starts at the resource and not at the common element. */
  fromResource?: true;
}

/** A component of a composite parameter: https://hl7.org/fhir/R4/search.html#composite. */
export interface CompositeComponent {
  code: string;
  type: SearchParameterType;
  paths: readonly SearchPath[];
}

/** A search parameter of a resource type: https://hl7.org/fhir/R4/searchparameter.html. */
export interface SearchParameter {
  /** The type that defines the parameter: the resource type itself, `Resource` or `DomainResource`. */
  base: string;
  code: string;
  type: SearchParameterType;
  /** The canonical URL of the definition. */
  url: string;
  paths: readonly SearchPath[];
  /** The types that a reference may refer to. Empty: any type. */
  targets: readonly string[];
  /** Composite only: the paths of the common element of the components. A path without steps is the resource. */
  starts: readonly (readonly PathStep[])[];
  components: readonly CompositeComponent[];
}

/** The search parameter types of FHIR. */
export type SearchParameterType =
  'token' | 'reference' | 'uri' | 'date' | 'string' | 'number' | 'quantity' | 'composite' | 'special';

/** One property on the way to a value. */
export interface PathStep {
  /** The property in JSON, such as `valueQuantity`. */
  property: string;
  /** The element, without the type of a choice: `value`. */
  element: string;
  repeats: boolean;
  /** Only the item at this place. */
  index?: number;
  /** Only items whose child `name` has this value. */
  where?: { name: string; equals: string };
}

/** One member of a search parameter's expression: a path of properties and the type of what stands at its end. */
export interface SearchPath {
  steps: readonly PathStep[];
  /** A FHIR type, or `present`: true when one of the `anyOf` properties is there and not false. */
  type: string;
  anyOf?: readonly string[];
  /** Only references to this resource type. */
  resolvesTo?: string;
  /** The code systems that a `code` belongs to by its binding. */
  systems?: readonly string[];
  /** In a component of a composite: the path starts from the resource, not from the composite's element. */
  fromResource?: true;
}

export interface CompositeComponent {
  code: string;
  type: SearchParameterType;
  paths: readonly SearchPath[];
}

export interface SearchParameter {
  /** The resource type that defines it: the type itself, `Resource` or `DomainResource`. */
  base: string;
  code: string;
  type: SearchParameterType;
  /** The canonical url of the definition. */
  url: string;
  paths: readonly SearchPath[];
  /** Types that a reference may point to; empty when it may point to any. */
  targets: readonly string[];
  /** Composite only: the elements whose components belong together; a path without steps is the resource. */
  starts: readonly (readonly PathStep[])[];
  components: readonly CompositeComponent[];
}

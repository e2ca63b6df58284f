import type { ElementDefinition, ElementType, ElementTypeUse } from '@tributary/fhir-definitions';
import type { JsonObject, JsonValue } from '@tributary/fhir-json';
import type { Slot } from './draft';
import type { Run } from './run';

/** Brings one occurrence of a source element into an R4 draft. At least one of value and companion (the id and extensions of a primitive) is there. */
export type Move = (
  value: JsonValue | undefined,
  companion: JsonObject | undefined,
  draft: JsonObject,
  run: Run,
) => void;

/** Converts one value, or tells by undefined that it has no place in the R4 element. */
export type ValueConversion = (value: JsonValue, run: Run) => JsonValue | undefined;

/** Makes an R4 object of a source object. */
export type ObjectMaker = (value: JsonValue, run: Run) => JsonObject;

/** An element of the source release, with the type that its property in JSON stands for. */
export interface SourceElement {
  /** "Patient.animal", "HumanName.family"; "Observation.value" for each type of the choice. */
  readonly path: string;
  readonly element: ElementDefinition;
  readonly type: ElementTypeUse;
}

/** The R4 type that the holder of an element becomes, and what can be done with the element there. */
export interface Site {
  readonly target: ElementType;
  /** Converts the value into an element of the R4 type; what does not fit there is carried. `adapt` changes a string before. */
  put(source: SourceElement, elementName: string, adapt?: (value: string) => string): Move;
  /** Keeps the value in the standard cross-version extension of its element. */
  carry(source: SourceElement): Move;
  /** Keeps the value in a modifier extension: for elements that change the meaning of the whole. */
  carryAsModifier(source: SourceElement): Move;
  /** Converts the members of a source component straight into the draft of its holder. */
  dissolve(source: SourceElement): Move;
  /** The place of an R4 element; `type` tells which of a choice. */
  slot(elementName: string, type?: string): Slot;
  /** The conversion of a component into one object of an R4 type: its member `whole` becomes the object itself, others go where the type has an element of their name, or are carried. */
  merge(source: SourceElement, r4Type: string, whole: string): ObjectMaker;
  /** The conversion of an object of a source type to an R4 type. */
  object(sourceType: string, r4Type: string): ObjectMaker;
  /** The site of another R4 type, such as that of a component of this one. */
  within(r4Type: string): Site;
  readonly isR4Resource: (type: string) => boolean;
  /** Converts the id and extensions of a primitive value. */
  companion(companion: JsonObject | undefined, run: Run): JsonObject | undefined;
}

/** What happens to one element on the way to R4, made once for each site. */
export type Change = (source: SourceElement, site: Site) => Move;

/** Called with a source object and its draft when all elements are moved, for what depends on more than one of them or on what is absent. */
export type Completion = (source: JsonObject, draft: JsonObject, run: Run, site: Site) => void;

/** The differences between a source release and R4, for a resource or a data type. What is not named is the same in both, or has no place in R4 and is carried. */
export interface Changes {
  /** By the element's path in the source release: "Patient.link.type" is the element `type` of the component Patient.link. */
  readonly elements?: Readonly<Record<string, Change>>;
  /** By the name of the source type. */
  readonly completions?: Readonly<Record<string, Completion>>;
}

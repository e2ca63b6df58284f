import type { ElementDefinition, ElementType, ElementTypeUse } from '@tributary/fhir-definitions';
import type { JsonObject, JsonValue } from '@tributary/fhir-json';
import type { TargetProperty } from './target-property';
import type { Context } from './context';

/**
 * Writes one occurrence of a source element into a draft, the R4 object under construction. At least one of the value
 * and the companion (the `_name` property of a primitive, with its id and extensions) is defined.
 */
export type ElementWriter = (
  value: JsonValue | undefined,
  companion: JsonObject | undefined,
  draft: JsonObject,
  context: Context,
) => void;

/** Converts one value. Returns undefined when the R4 element cannot have the value. */
export type ValueConverter = (value: JsonValue, context: Context) => JsonValue | undefined;

/** Converts a source object to an R4 object. */
export type ObjectConverter = (value: JsonValue, context: Context) => JsonObject;

/**
 * An element of the source release. An element with a choice of types (`value[x]`) is one SourceElement for each type.
 */
export interface SourceElement {
  /** "Patient.animal", "HumanName.family"; "Observation.value" for each type of a choice. */
  readonly path: string;
  readonly element: ElementDefinition;
  readonly type: ElementTypeUse;
}

/** The R4 type that an object is converted to, with the operations from which element rules are built. */
export interface TargetType {
  readonly type: ElementType;
  /**
   * Writes the value to an element of the R4 type, or to an extension when the element cannot have it. `adapt` changes
   * strings first.
   */
  write(source: SourceElement, elementName: string, adapt?: (value: string) => string): ElementWriter;
  /**
   * Writes the value to the cross-version extension of its source element:
   * https://hl7.org/fhir/R4/versions.html#extensions.
   */
  writeExtension(source: SourceElement): ElementWriter;
  /** Writes the value to a modifier extension, for an element that changes the meaning of the resource. */
  writeModifierExtension(source: SourceElement): ElementWriter;
  /** Writes the elements of a source component into the draft of the object that has the component. */
  flatten(source: SourceElement): ElementWriter;
  /** The property of an R4 element; `type` selects the type of a choice. */
  property(elementName: string, type?: string): TargetProperty;
  /**
   * Converts a component to an object of an R4 type. Its element `mainElement` becomes the object; the other elements
   * are written to the elements of the same name, or to extensions of the object.
   */
  flattenInto(source: SourceElement, r4Type: string, mainElement: string): ObjectConverter;
  /** The conversion of objects of a source type to an R4 type. */
  objectConversion(sourceType: string, r4Type: string): ObjectConverter;
  /** The operations for another R4 type, such as a component of this one. */
  otherType(r4Type: string): TargetType;
  readonly isR4Resource: (type: string) => boolean;
  /** Converts the id and extensions of a primitive. */
  companion(companion: JsonObject | undefined, context: Context): JsonObject | undefined;
}

/** How an element is converted. It is compiled once for each target type. */
export type ElementRule = (source: SourceElement, target: TargetType) => ElementWriter;

/** Called when all elements of an object are written, for rules that depend on several elements or on absent ones. */
export type ObjectRule = (source: JsonObject, draft: JsonObject, context: Context, target: TargetType) => void;

/**
 * The differences between a source release and R4 in a resource or data type. An element without a rule is written to
 * the R4 element of the same name, or to an extension when there is none.
 */
export interface ConversionRules {
  /**
   * By the element's path in the source release: "Patient.link.type" is the element `type` of the component
   * Patient.link.
   */
  readonly elements?: Readonly<Record<string, ElementRule>>;
  /** By the name of the source type. */
  readonly objects?: Readonly<Record<string, ObjectRule>>;
}

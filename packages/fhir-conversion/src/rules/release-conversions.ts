import type { ElementBinding, ElementDefinition, ElementType, ElementTypeUse } from '@tributary/fhir-definitions';
import type { SourceRelease } from './context';
import type { ConversionRules, ElementWriter, SourceElement, ValueConverter } from './element-rule';
import type { CompiledObject, ObjectConversion, RequiredElement } from './object-conversion';

/**
 * The conversions of one release to R4, as the compilers of single types and elements use them. `TypeConversions`
 * implements it and calls these compilers; types refer to each other, so they cannot be compiled without it.
 */
export interface ReleaseConversions {
  readonly release: SourceRelease;
  readonly rules: Required<ConversionRules>;
  /** The element `value` of the R4 Extension. */
  readonly extensionValue: ElementDefinition;
  readonly isR4Resource: (type: string) => boolean;
  isComponent(sourceType: string): boolean;
  /** The conversion of objects of a source type to an R4 type. */
  of(sourceType: string, r4Type: string): ObjectConversion;
  /** The type of an R4 element that is compatible with a source type. */
  fitting(type: ElementTypeUse, element: ElementDefinition): ElementTypeUse | undefined;
  /** The conversion of values of a source type to a compatible R4 type. */
  value(
    path: string,
    type: ElementTypeUse,
    r4Type: ElementTypeUse,
    binding?: ElementBinding,
    adapt?: (value: string) => string,
  ): ValueConverter;
  /** The writers for the properties of a source type, from a writer for each element. */
  compileWriters(
    sourceType: string,
    writerOf: (source: SourceElement) => ElementWriter,
    required?: readonly RequiredElement[],
  ): CompiledObject;
  /** A type of R4. @throws NotConvertible when R4 does not have it */
  r4Type(name: string): ElementType;
}

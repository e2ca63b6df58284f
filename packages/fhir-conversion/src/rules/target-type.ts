import type { ElementDefinition, ElementType } from '@tributary/fhir-definitions';
import type { JsonObject } from '@tributary/fhir-json';
import { type ExtensionFallback, capitalized, crossVersionUrl, refuseElement } from './extension-fallback';
import type { ElementRule, ElementWriter, ObjectConverter, TargetType, SourceElement } from './element-rule';
import {
  addExtension,
  addModifierExtension,
  setProperty,
  targetProperty,
  type TargetProperty,
} from './target-property';
import { ObjectConversion } from './object-conversion';
import type { Context } from './context';
import type { ReleaseConversions } from './release-conversions';

/** The rule of an element without a difference: it is written to the R4 element of the same name. */
export const sameElement: ElementRule = (source, target) => target.write(source, source.element.name);

/** The operations for an R4 type. */
export function targetType(
  conversions: ReleaseConversions,
  extensions: ExtensionFallback,
  elementType: ElementType,
): TargetType {
  const target: TargetType = {
    type: elementType,
    write,
    writeExtension,
    writeModifierExtension,
    flatten,
    flattenInto,
    property,
    objectConversion,
    otherType,
    isR4Resource: conversions.isR4Resource,
    companion,
  };
  return target;

  function write(source: SourceElement, elementName: string, adapt?: (value: string) => string): ElementWriter {
    const element = elementType.elements.get(elementName);
    const type = element && conversions.fitting(source.type, element);
    const extensionWriter = writeExtension(source);
    if (!element || !type || isNewlyBound(source, element)) return extensionWriter;
    const to = property(elementName, type.code);
    const convert = conversions.value(source.path, source.type, type, element.binding, adapt);
    return (value, companionValue, draft, context) => {
      const converted = value === undefined ? undefined : convert(value, context);
      const fits = value === undefined || converted !== undefined;
      if (!fits || !setProperty(draft, to, converted, companion(companionValue, context)))
        extensionWriter(value, companionValue, draft, context);
    };
  }

  /** Whether only R4 binds the element to a value set: whether a concept is in that value set is unknown. */
  function isNewlyBound(source: SourceElement, { binding }: ElementDefinition): boolean {
    return binding !== undefined && source.element.binding === undefined && source.type.code === 'CodeableConcept';
  }

  function writeExtension(source: SourceElement): ElementWriter {
    if (!elementType.elements.has('extension')) return refuseElement(source.path);
    const extension = extensions.extension(crossVersionUrl(conversions.release, source.path), source);
    return (value, companionValue, draft, context) => addExtension(draft, extension(value, companionValue, context));
  }

  function writeModifierExtension(source: SourceElement): ElementWriter {
    const extension = extensions.extension(crossVersionUrl(conversions.release, source.path), source);
    return (value, companionValue, draft, context) =>
      addModifierExtension(draft, extension(value, companionValue, context));
  }

  function flatten(source: SourceElement): ElementWriter {
    const members = memberWriters(source, (member) =>
      (conversions.rules.elements[member.path] ?? sameElement)(member, target),
    );
    return (value, _companion, draft, context) => members.convertInto(draft, value ?? null, context);
  }

  function flattenInto(source: SourceElement, r4Type: string, mainElement: string): ObjectConverter {
    const object = otherType(r4Type);
    const members = memberWriters(source, (member) => {
      if (member.element.name !== mainElement) return object.write(member, member.element.name);
      const main = conversions.of(member.type.code, r4Type);
      return (value, _companion, draft, context) => main.convertInto(draft, value ?? null, context);
    });
    return (value, context) => members.convert(value, context);
  }

  /** The conversion of a component that R4 does not have as such. Its id is dropped. */
  function memberWriters(source: SourceElement, writerOf: (member: SourceElement) => ElementWriter): ObjectConversion {
    return new ObjectConversion(source.type.code, () =>
      conversions.compileWriters(source.type.code, (member) => {
        switch (member.element.name) {
          case 'id':
            return () => undefined;
          case 'extension':
            return nestedExtension(source);
          case 'modifierExtension':
            return refuseElement(member.path);
          default:
            return writerOf(member);
        }
      }),
    );
  }

  /** An extension of such a component is nested in the cross-version extension of the component. */
  function nestedExtension({ path }: SourceElement): ElementWriter {
    const url = crossVersionUrl(conversions.release, path);
    const conversion = conversions.of('Extension', 'Extension');
    return (value, _companion, draft, context) =>
      addExtension(draft, { url, extension: [conversion.convert(value ?? null, context)] });
  }

  function property(elementName: string, type?: string): TargetProperty {
    const element = elementType.elements.get(elementName);
    if (!element) throw new Error(`R4 has no element ${elementType.name}.${elementName}`);
    return targetProperty(
      element.choice && type !== undefined ? elementName + capitalized(type) : elementName,
      element.max > 1,
    );
  }

  function objectConversion(sourceType: string, r4Type: string): ObjectConverter {
    const conversion = conversions.of(sourceType, r4Type);
    return (value, context) => conversion.convert(value, context);
  }

  function otherType(r4Type: string): TargetType {
    return targetType(conversions, extensions, conversions.r4Type(r4Type));
  }

  function companion(companionValue: JsonObject | undefined, context: Context): JsonObject | undefined {
    return companionValue && conversions.of('Element', 'Element').convert(companionValue, context);
  }
}

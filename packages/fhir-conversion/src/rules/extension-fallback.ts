import type { ElementTypeUse } from '@tributary/fhir-definitions';
import type { JsonObject, JsonValue } from '@tributary/fhir-json';
import { NotConvertible } from '../not-convertible';
import type { ElementWriter, SourceElement } from './element-rule';
import { addExtension } from './target-property';
import { ObjectConversion, type CompiledObject } from './object-conversion';
import type { Context } from './context';
import type { ReleaseConversions } from './release-conversions';

/** Converts one occurrence of an element to an extension. */
export type ExtensionConverter = (
  value: JsonValue | undefined,
  companion: JsonObject | undefined,
  context: Context,
) => JsonObject;

/** The version of a release in the URLs of its cross-version extensions. */
const VERSION_IN_URL = { dstu2: '1.0', stu3: '3.0' } as const;

/** The URL of the extension for an element of another release: https://hl7.org/fhir/R4/versions.html#extensions. */
export function crossVersionUrl(release: Context['release'], path: string): string {
  return `http://hl7.org/fhir/${VERSION_IN_URL[release]}/StructureDefinition/extension-${path}`;
}

/**
 * Writes elements that R4 does not have to cross-version extensions. A value is the value of the extension; a component
 * becomes an extension with a nested extension for each of its elements.
 */
export class ExtensionFallback {
  private readonly components = new Map<string, ObjectConversion>();

  constructor(private readonly conversions: ReleaseConversions) {}

  /** The converter of an element to an extension. It is compiled by its first use, since R4 has most elements. */
  extension(url: string, { path, type }: SourceElement): ExtensionConverter {
    let maker: ExtensionConverter | undefined;
    return (value, companion, context) => {
      maker ??= this.conversions.isComponent(type.code)
        ? this.ofComponent(url, type.code)
        : this.ofValue(url, path, type);
      return maker(value, companion, context);
    };
  }

  private ofComponent(url: string, name: string): ExtensionConverter {
    return (value, _companion, context) => {
      const extension: JsonObject = { url };
      this.component(name).convertInto(extension, value ?? null, context);
      return extension;
    };
  }

  private component(name: string): ObjectConversion {
    const known = this.components.get(name);
    if (known) return known;
    const made = new ObjectConversion(name, () => this.stepsOfComponent(name));
    this.components.set(name, made);
    return made;
  }

  private stepsOfComponent(name: string): CompiledObject {
    return this.conversions.compileWriters(name, (source) => {
      switch (source.element.name) {
        case 'id':
          return (value, _companion, draft) => void (draft['id'] = value);
        case 'extension':
          return this.nestedExtension();
        case 'modifierExtension':
          return refuseElement(source.path);
        default:
          return this.member(source);
      }
    });
  }

  /** The writer of extensions that the component itself has. */
  private nestedExtension(): ElementWriter {
    const conversion = this.conversions.of('Extension', 'Extension');
    return (value, _companion, draft, context) => addExtension(draft, conversion.convert(value ?? null, context));
  }

  private member(source: SourceElement): ElementWriter {
    const make = this.extension(source.element.name, source);
    return (value, companion, draft, context) => addExtension(draft, make(value, companion, context));
  }

  private ofValue(url: string, path: string, type: ElementTypeUse): ExtensionConverter {
    const held = this.conversions.fitting(type, this.conversions.extensionValue);
    if (held === undefined) throw new NotConvertible(`R4 has no element for ${path}.`);
    const convert = this.conversions.value(path, type, held);
    const property = `value${capitalized(held.code)}`;
    return (value, companion, context) => {
      const converted = value === undefined ? undefined : convert(value, context);
      // A value that the R4 type refuses, such as a negative year, is written as a string.
      const refused = value !== undefined && converted === undefined;
      return this.withValue(
        { url },
        refused ? 'valueString' : property,
        refused ? value : converted,
        companion,
        context,
      );
    };
  }

  private withValue(
    extension: JsonObject,
    property: string,
    value: JsonValue | undefined,
    companion: JsonObject | undefined,
    context: Context,
  ): JsonObject {
    if (value !== undefined) extension[property] = value;
    if (companion !== undefined)
      extension[`_${property}`] = this.conversions.of('Element', 'Element').convert(companion, context);
    return extension;
  }
}

/**
 * For modifier extensions of a component that R4 does not have. Its writer throws NotConvertible, since an extension
 * cannot have modifier extensions.
 */
export function refuseElement(path: string): ElementWriter {
  return () => {
    throw new NotConvertible(`R4 has no element for ${path}.`);
  };
}

/** The name with an upper-case first letter, as in `valueQuantity`. */
export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

import type { ElementTypeUse } from '@tributary/fhir-definitions';
import type { JsonObject, JsonValue } from '@tributary/fhir-json';
import { NotConvertible } from '../not-convertible';
import type { Move, SourceElement } from './change';
import { addExtension } from './draft';
import { ObjectConversion, type Steps } from './object-conversion';
import type { Run } from './run';
import type { TypeConversions } from './type-conversions';

/** Makes the extension that stands for one occurrence of an element. */
export type ExtensionMaker = (value: JsonValue | undefined, companion: JsonObject | undefined, run: Run) => JsonObject;

/** The version by which the cross-version extensions of a release are named. */
const VERSION_IN_URL = { dstu2: '1.0', stu3: '3.0' } as const;

/** The URL of the standard extension that holds an element of another release. */
export function crossVersionUrl(release: Run['release'], path: string): string {
  return `http://hl7.org/fhir/${VERSION_IN_URL[release]}/StructureDefinition/extension-${path}`;
}

/** Carries what R4 has no place for in extensions: a value as the extension's value, a component as an extension with one for each of its members. */
export class Carrying {
  private readonly components = new Map<string, ObjectConversion>();

  constructor(private readonly conversions: TypeConversions) {}

  /** The maker of the extension for an element. It is compiled when it is first used: most elements have a place in R4. */
  extension(url: string, { path, type }: SourceElement): ExtensionMaker {
    let maker: ExtensionMaker | undefined;
    return (value, companion, run) => {
      maker ??= this.conversions.isComponent(type.code)
        ? this.ofComponent(url, type.code)
        : this.ofValue(url, path, type);
      return maker(value, companion, run);
    };
  }

  private ofComponent(url: string, name: string): ExtensionMaker {
    return (value, _companion, run) => {
      const extension: JsonObject = { url };
      this.component(name).convertInto(extension, value ?? null, run);
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

  private stepsOfComponent(name: string): Steps {
    return this.conversions.steps(name, (source) => {
      switch (source.element.name) {
        case 'id':
          return (value, _companion, draft) => void (draft['id'] = value);
        case 'extension':
          return this.ownExtension();
        case 'modifierExtension':
          return refuse(source.path);
        default:
          return this.member(source);
      }
    });
  }

  /** An extension that the component itself has. */
  private ownExtension(): Move {
    const conversion = this.conversions.of('Extension', 'Extension');
    return (value, _companion, draft, run) => addExtension(draft, conversion.convert(value ?? null, run));
  }

  private member(source: SourceElement): Move {
    const make = this.extension(source.element.name, source);
    return (value, companion, draft, run) => addExtension(draft, make(value, companion, run));
  }

  private ofValue(url: string, path: string, type: ElementTypeUse): ExtensionMaker {
    const held = this.conversions.fitting(type, this.conversions.extensionValue);
    if (held === undefined) throw new NotConvertible(`R4 has no place for ${path}.`);
    const convert = this.conversions.value(path, type, held);
    const property = `value${capitalized(held.code)}`;
    return (value, companion, run) => {
      const converted = value === undefined ? undefined : convert(value, run);
      // A string that R4 refuses under its own type, such as a year before the common era, still is a string.
      const refused = value !== undefined && converted === undefined;
      return this.withValue({ url }, refused ? 'valueString' : property, refused ? value : converted, companion, run);
    };
  }

  private withValue(
    extension: JsonObject,
    property: string,
    value: JsonValue | undefined,
    companion: JsonObject | undefined,
    run: Run,
  ): JsonObject {
    if (value !== undefined) extension[property] = value;
    if (companion !== undefined)
      extension[`_${property}`] = this.conversions.of('Element', 'Element').convert(companion, run);
    return extension;
  }
}

/** A modifier changes the meaning of a component that R4 does not have, and an extension cannot say so. */
export function refuse(path: string): Move {
  return () => {
    throw new NotConvertible(`R4 has no place for ${path}.`);
  };
}

export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

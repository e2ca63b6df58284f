import type { ElementDefinition, ElementType } from '@tributary/fhir-definitions';
import type { JsonObject } from '@tributary/fhir-json';
import { capitalized, crossVersionUrl, refuse } from './carrying';
import type { Change, Move, ObjectMaker, Site, SourceElement } from './change';
import { addExtension, addModifierExtension, place, slotOf, type Slot } from './draft';
import { ObjectConversion } from './object-conversion';
import type { Run } from './run';
import type { TypeConversions } from './type-conversions';

/** The change of an element that is the same in R4: it stays where it is. */
export const keep: Change = (source, site) => site.put(source, source.element.name);

/** What the changes of a type can do at the R4 type that it becomes. */
export function conversionSite(conversions: TypeConversions, target: ElementType): Site {
  const site: Site = {
    target,
    put,
    carry,
    carryAsModifier,
    dissolve,
    merge,
    slot,
    object,
    within,
    isR4Resource: conversions.isR4Resource,
    companion,
  };
  return site;

  function put(source: SourceElement, elementName: string, adapt?: (value: string) => string): Move {
    const element = target.elements.get(elementName);
    const fit = element && conversions.fitting(source.type, element);
    const carried = carry(source);
    if (!element || !fit || isNewlyBound(source, element)) return carried;
    const there = slot(elementName, fit.code);
    const convert = conversions.value(source.path, source.type, fit, element.binding, adapt);
    return (value, itsCompanion, draft, run) => {
      const converted = value === undefined ? undefined : convert(value, run);
      const fits = value === undefined || converted !== undefined;
      if (!fits || !place(draft, there, converted, companion(itsCompanion, run)))
        carried(value, itsCompanion, draft, run);
    };
  }

  /** Whether a concept is one of those which only R4 demands, no table tells. */
  function isNewlyBound(source: SourceElement, { binding }: ElementDefinition): boolean {
    return binding !== undefined && source.element.binding === undefined && source.type.code === 'CodeableConcept';
  }

  function carry(source: SourceElement): Move {
    if (!target.elements.has('extension')) return refuse(source.path);
    const extension = conversions.carrying.extension(crossVersionUrl(conversions.release, source.path), source);
    return (value, itsCompanion, draft, run) => addExtension(draft, extension(value, itsCompanion, run));
  }

  function carryAsModifier(source: SourceElement): Move {
    const extension = conversions.carrying.extension(crossVersionUrl(conversions.release, source.path), source);
    return (value, itsCompanion, draft, run) => addModifierExtension(draft, extension(value, itsCompanion, run));
  }

  function dissolve(source: SourceElement): Move {
    const members = memberMoves(source, (member) => (conversions.changes.elements[member.path] ?? keep)(member, site));
    return (value, _companion, draft, run) => members.convertInto(draft, value ?? null, run);
  }

  function merge(source: SourceElement, r4Type: string, whole: string): ObjectMaker {
    const merged = within(r4Type);
    const members = memberMoves(source, (member) => {
      if (member.element.name !== whole) return merged.put(member, member.element.name);
      const itself = conversions.of(member.type.code, r4Type);
      return (value, _companion, draft, run) => itself.convertInto(draft, value ?? null, run);
    });
    return (value, run) => members.convert(value, run);
  }

  /** The conversion of a component that does not remain as such. Its own id has nothing left to name. */
  function memberMoves(source: SourceElement, moveOf: (member: SourceElement) => Move): ObjectConversion {
    return new ObjectConversion(source.type.code, () =>
      conversions.steps(source.type.code, (member) => {
        switch (member.element.name) {
          case 'id':
            return () => undefined;
          case 'extension':
            return ownExtension(source);
          case 'modifierExtension':
            return refuse(member.path);
          default:
            return moveOf(member);
        }
      }),
    );
  }

  /** An extension of a component that R4 does not have stays within the extension that stands for the component. */
  function ownExtension({ path }: SourceElement): Move {
    const url = crossVersionUrl(conversions.release, path);
    const conversion = conversions.of('Extension', 'Extension');
    return (value, _companion, draft, run) =>
      addExtension(draft, { url, extension: [conversion.convert(value ?? null, run)] });
  }

  function slot(elementName: string, type?: string): Slot {
    const element = target.elements.get(elementName);
    if (!element) throw new Error(`R4 has no element ${target.name}.${elementName}`);
    return slotOf(
      element.choice && type !== undefined ? elementName + capitalized(type) : elementName,
      element.max > 1,
    );
  }

  function object(sourceType: string, r4Type: string): ObjectMaker {
    const conversion = conversions.of(sourceType, r4Type);
    return (value, run) => conversion.convert(value, run);
  }

  function within(r4Type: string): Site {
    return conversionSite(conversions, conversions.r4Type(r4Type));
  }

  function companion(itsCompanion: JsonObject | undefined, run: Run): JsonObject | undefined {
    return itsCompanion && conversions.of('Element', 'Element').convert(itsCompanion, run);
  }
}

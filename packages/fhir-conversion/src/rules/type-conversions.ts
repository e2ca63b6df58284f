import {
  elementModel,
  isResourceType,
  type ElementBinding,
  type ElementDefinition,
  type ElementModel,
  type ElementType,
  type ElementTypeUse,
} from '@tributary/fhir-definitions';
import type { JsonObject, JsonValue } from '@tributary/fhir-json';
import { NotConvertible } from '../not-convertible';
import { carried } from '../changes/moves';
import { Carrying } from './carrying';
import type { Change, Changes, Move, SourceElement, ValueConversion } from './change';
import { conversionSite, keep } from './conversion-site';
import { ObjectConversion, type RequiredElement, type Steps } from './object-conversion';
import { eachOccurrence, eachPrimitiveOccurrence, type PropertyMove } from './occurrences';
import { holdersOf, primitiveConversion } from './primitive-values';
import { pointsTo } from './references';
import { r4ResourceType } from './resource-types';
import type { Run, SourceRelease } from './run';

/**
 * The conversions of all types of one release to R4. They come from the element models of both releases: an element of the same name
 * and of a fitting type is kept, any other is carried in an extension, and the changes name what becomes something else.
 */
export class TypeConversions {
  readonly source: ElementModel;
  readonly r4 = elementModel('r4');
  readonly carrying = new Carrying(this);
  /** The element `value` of the R4 Extension, which holds what is carried. */
  readonly extensionValue: ElementDefinition;
  private readonly conversions = new Map<string, ObjectConversion>();

  constructor(
    readonly release: SourceRelease,
    readonly changes: Required<Changes>,
  ) {
    this.source = elementModel(release);
    this.extensionValue = this.r4Type('Extension').elements.get('value') as ElementDefinition;
  }

  /** The conversion of objects of a source type to an R4 type. */
  of(sourceType: string, r4Type: string): ObjectConversion {
    const key = `${sourceType}>${r4Type}`;
    const known = this.conversions.get(key);
    if (known) return known;
    const made = new ObjectConversion(sourceType, () => this.compile(sourceType, this.r4Type(r4Type)));
    this.conversions.set(key, made);
    return made;
  }

  /** The conversion of a resource to the type that it has in R4. */
  resource(type: string): ObjectConversion {
    return this.of(type, r4ResourceType(type, this.isR4Resource));
  }

  readonly isR4Resource = (type: string): boolean => isResourceType('r4', type);

  isComponent(sourceType: string): boolean {
    return this.source.type(sourceType)?.kind === 'backbone';
  }

  /** The R4 type, among those of an element, that can hold values of a source type. */
  fitting(type: ElementTypeUse, { types }: ElementDefinition): ElementTypeUse | undefined {
    const sourceType = this.source.type(type.code);
    if (sourceType?.kind === 'primitive')
      return first(holdersOf(type.code), (holder) => types.find(({ code }) => code === holder));
    if (sourceType?.kind === 'backbone')
      return types.find(({ code }) => code === 'Dosage' || this.r4.type(code)?.kind === 'backbone');
    return (
      types.find(({ code }) => code === type.profile && this.r4.isSubtype(code, type.code)) ??
      types.find(({ code }) => code === type.code) ??
      types.find(({ code }) => this.r4.isSubtype(code, type.code))
    );
  }

  /** The conversion of values of a source type to an R4 type that fits. */
  value(
    path: string,
    type: ElementTypeUse,
    r4Type: ElementTypeUse,
    binding?: ElementBinding,
    adapt?: (value: string) => string,
  ): ValueConversion {
    if (this.source.type(type.code)?.kind === 'primitive')
      return primitiveConversion(path, type.code, r4Type.code, binding, adapt);
    if (this.source.isSubtype(type.code, 'Resource')) return convertedBefore(path);
    const conversion = this.of(type.code, r4Type.code);
    if (type.code !== 'Reference' || r4Type.targets === undefined)
      return (value, run) => conversion.convert(value, run);
    return this.reference(conversion, new Set(r4Type.targets));
  }

  /** The steps for the properties of a source type, with a move for each element. */
  steps(sourceType: string, moveOf: (source: SourceElement) => Move, required: readonly RequiredElement[] = []): Steps {
    const type = this.sourceType(sourceType);
    const properties = new Map<string, PropertyMove>();
    for (const [property, { element, type: use }] of type.properties) {
      const path = `${type.name}.${element.name}`;
      const move = moveOf({ path, element, type: use });
      const primitive = this.source.type(use.code)?.kind === 'primitive';
      const moveAll = primitive ? eachPrimitiveOccurrence(path, move) : eachOccurrence(move);
      properties.set(property, moveAll);
      if (primitive) properties.set(`_${property}`, moveAll);
    }
    return { properties, required };
  }

  private compile(sourceType: string, target: ElementType): Steps {
    const site = conversionSite(this, target);
    const standsForOther = target.name === 'Basic' && sourceType !== 'Basic';
    const changeOf = standsForOther
      ? (source: SourceElement) => this.changeInBasic(source)
      : ({ path }: SourceElement) => this.changes.elements[path] ?? keep;
    const steps = this.steps(sourceType, (source) => changeOf(source)(source, site), requiredOf(target, this.r4));
    const properties = new Map(steps.properties);
    if (target.kind === 'resource')
      properties.set('resourceType', (_value, _companion, draft) => void (draft['resourceType'] = target.name));
    const complete = standsForOther ? codeOfBasic : this.changes.completions[sourceType];
    if (!complete) return { ...steps, properties };
    return { ...steps, properties, complete: (source, draft, run) => complete(source, draft, run, site) };
  }

  /** In a Basic that stands for a type of the older release, only what every resource has keeps its place. */
  private changeInBasic({ element }: SourceElement): Change {
    return this.sourceType('DomainResource').elements.has(element.name) ? keep : carried;
  }

  private reference(conversion: ObjectConversion, targets: ReadonlySet<string>): ValueConversion {
    return (value: JsonValue, run: Run) => {
      const reference = conversion.convert(value, run);
      return pointsTo(reference, targets, this.isR4Resource, run) ? reference : undefined;
    };
  }

  private sourceType(name: string): ElementType {
    const type = this.source.type(name);
    if (!type) throw new NotConvertible(`${this.release} has no type ${name}.`);
    return type;
  }

  /** A type of R4. */
  r4Type(name: string): ElementType {
    const type = this.r4.type(name);
    if (!type) throw new NotConvertible(`R4 has no type ${name}.`);
    return type;
  }
}

/** A contained resource was converted before the resource that contains it; elsewhere within a resource there can be none. */
function convertedBefore(path: string): ValueConversion {
  return (value, { contained }) => {
    const converted = contained.converted.get(value);
    if (converted === undefined) throw new NotConvertible(`R4 has no place for ${path}.`);
    return converted;
  };
}

/** A Basic tells by its code what it stands for. */
function codeOfBasic({ resourceType }: JsonObject, draft: JsonObject): void {
  draft['code'] = { coding: [{ system: 'http://hl7.org/fhir/resource-types', code: resourceType }] };
}

function requiredOf(type: ElementType, model: ElementModel): RequiredElement[] {
  return [...type.elements.values()]
    .filter(({ min }) => min > 0)
    .map((element) => ({
      path: `${type.name}.${element.name}`,
      properties: [...type.properties]
        .filter(([, use]) => use.element === element)
        .flatMap(([property, use]) =>
          model.type(use.type.code)?.kind === 'primitive' ? [property, `_${property}`] : [property],
        ),
    }));
}

function first<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

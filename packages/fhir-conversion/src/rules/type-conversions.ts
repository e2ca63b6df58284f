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
import { toExtension } from '../element-rules/basic-rules';
import { ExtensionFallback } from './extension-fallback';
import type { ElementRule, ConversionRules, ElementWriter, SourceElement, ValueConverter } from './element-rule';
import { targetType, sameElement } from './target-type';
import { ObjectConversion, type RequiredElement, type CompiledObject } from './object-conversion';
import { eachOccurrence, eachPrimitiveOccurrence, type PropertyWriter } from './property-writer';
import { targetTypesOf, primitiveConversion } from './primitive-values';
import { isAllowedTarget } from './references';
import type { ReleaseConversions } from './release-conversions';
import { r4ResourceType } from './resource-types';
import type { Context, SourceRelease } from './context';

/**
 * The conversions of all types of one release to R4, compiled from the element models of both releases: an element is
 * written to the R4 element of the same name if that has a compatible type, and to an extension otherwise. Element
 * rules describe all other differences.
 */
export class TypeConversions implements ReleaseConversions {
  readonly source: ElementModel;
  readonly r4 = elementModel('r4');
  private readonly extensions = new ExtensionFallback(this);
  readonly extensionValue: ElementDefinition;
  private readonly conversions = new Map<string, ObjectConversion>();

  constructor(
    readonly release: SourceRelease,
    readonly rules: Required<ConversionRules>,
  ) {
    this.source = elementModel(release);
    this.extensionValue = this.r4Type('Extension').elements.get('value') as ElementDefinition;
  }

  of(sourceType: string, r4Type: string): ObjectConversion {
    const key = `${sourceType}>${r4Type}`;
    const known = this.conversions.get(key);
    if (known) return known;
    const made = new ObjectConversion(sourceType, () => this.compile(sourceType, this.r4Type(r4Type)));
    this.conversions.set(key, made);
    return made;
  }

  /** The conversion of a resource to its R4 type. */
  resource(type: string): ObjectConversion {
    return this.of(type, r4ResourceType(type, this.isR4Resource));
  }

  readonly isR4Resource = (type: string): boolean => isResourceType('r4', type);

  isComponent(sourceType: string): boolean {
    return this.source.type(sourceType)?.kind === 'backbone';
  }

  fitting(type: ElementTypeUse, { types }: ElementDefinition): ElementTypeUse | undefined {
    const sourceType = this.source.type(type.code);
    if (sourceType?.kind === 'primitive')
      return first(targetTypesOf(type.code), (holder) => types.find(({ code }) => code === holder));
    if (sourceType?.kind === 'backbone')
      return types.find(({ code }) => code === 'Dosage' || this.r4.type(code)?.kind === 'backbone');
    return (
      types.find(({ code }) => code === type.profile && this.r4.isSubtype(code, type.code)) ??
      types.find(({ code }) => code === type.code) ??
      types.find(({ code }) => this.r4.isSubtype(code, type.code))
    );
  }

  value(
    path: string,
    type: ElementTypeUse,
    r4Type: ElementTypeUse,
    binding?: ElementBinding,
    adapt?: (value: string) => string,
  ): ValueConverter {
    if (this.source.type(type.code)?.kind === 'primitive')
      return primitiveConversion(path, type.code, r4Type.code, binding, adapt);
    if (this.source.isSubtype(type.code, 'Resource')) return convertedContainedResource(path);
    const conversion = this.of(type.code, r4Type.code);
    if (type.code !== 'Reference' || r4Type.targets === undefined)
      return (value, context) => conversion.convert(value, context);
    return this.reference(conversion, new Set(r4Type.targets));
  }

  compileWriters(
    sourceType: string,
    writerOf: (source: SourceElement) => ElementWriter,
    required: readonly RequiredElement[] = [],
  ): CompiledObject {
    const type = this.sourceType(sourceType);
    const properties = new Map<string, PropertyWriter>();
    for (const [property, { element, type: use }] of type.properties) {
      const path = `${type.name}.${element.name}`;
      const write = writerOf({ path, element, type: use });
      const primitive = this.source.type(use.code)?.kind === 'primitive';
      const writeAll = primitive ? eachPrimitiveOccurrence(path, write) : eachOccurrence(write);
      properties.set(property, writeAll);
      if (primitive) properties.set(`_${property}`, writeAll);
    }
    return { properties, required };
  }

  private compile(sourceType: string, r4Type: ElementType): CompiledObject {
    const target = targetType(this, this.extensions, r4Type);
    const isReplacement = r4Type.name === 'Basic' && sourceType !== 'Basic';
    const ruleOf = isReplacement
      ? (source: SourceElement) => this.ruleInBasic(source)
      : ({ path }: SourceElement) => this.rules.elements[path] ?? sameElement;
    const compiled = this.compileWriters(
      sourceType,
      (source) => ruleOf(source)(source, target),
      requiredOf(r4Type, this.r4),
    );
    const properties = new Map(compiled.properties);
    if (r4Type.kind === 'resource')
      properties.set('resourceType', (_value, _companion, draft) => void (draft['resourceType'] = r4Type.name));
    const complete = isReplacement ? codeOfBasic : this.rules.objects[sourceType];
    if (!complete) return { ...compiled, properties };
    return { ...compiled, properties, complete: (source, draft, context) => complete(source, draft, context, target) };
  }

  /**
   * In a Basic that replaces a resource of another type, only the elements of DomainResource are kept; all others
   * become extensions.
   */
  private ruleInBasic({ element }: SourceElement): ElementRule {
    return this.sourceType('DomainResource').elements.has(element.name) ? sameElement : toExtension;
  }

  private reference(conversion: ObjectConversion, targets: ReadonlySet<string>): ValueConverter {
    return (value: JsonValue, context: Context) => {
      const reference = conversion.convert(value, context);
      return isAllowedTarget(reference, targets, this.isR4Resource, context) ? reference : undefined;
    };
  }

  private sourceType(name: string): ElementType {
    const type = this.source.type(name);
    if (!type) throw new NotConvertible(`${this.release} has no type ${name}.`);
    return type;
  }

  r4Type(name: string): ElementType {
    const type = this.r4.type(name);
    if (!type) throw new NotConvertible(`R4 has no type ${name}.`);
    return type;
  }
}

/** Contained resources are converted before the resource itself. Resources in other elements are not supported. */
function convertedContainedResource(path: string): ValueConverter {
  return (value, { contained }) => {
    const converted = contained.converted.get(value);
    if (converted === undefined) throw new NotConvertible(`R4 has no element for ${path}.`);
    return converted;
  };
}

/** The code of a Basic names the source type. */
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

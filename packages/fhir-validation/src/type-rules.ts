import type {
  ElementDefinition,
  ElementModel,
  ElementProperty,
  ElementType,
  Release,
} from '@tributary/fhir-definitions';
import { elementModel, isResourceType } from '@tributary/fhir-definitions';
import type { JsonObject, JsonValue } from '@tributary/fhir-json';
import { compileBindingCheck } from './bindings';
import type { Findings } from './findings';
import { invariantsOf } from './invariants';
import { ObjectRule, checkObject } from './object-rule';
import { primitiveFormats, type PrimitiveFormat } from './primitive-formats';
import { compileProperty, type PropertyRule, type ValueCheck } from './property-rule';
import { compileReferenceCheck } from './references';
import { compileResourceCheck } from './resource-elements';

/** Primitive elements that are XML attributes, so they cannot have extensions. */
const ATTRIBUTES = new Set(['Element.id', 'Extension.url', 'Narrative.div']);

/** The rules of all types of a release, compiled from the element model. A type is compiled by its first use. */
export class TypeRules {
  readonly model: ElementModel;
  private readonly formats: ReadonlyMap<string, PrimitiveFormat>;
  private readonly compiled = new Map<string, ObjectRule>();

  constructor(private readonly release: Release) {
    this.model = elementModel(release);
    this.formats = primitiveFormats(release);
  }

  isResourceType(name: string): boolean {
    return isResourceType(this.release, name);
  }

  /** The rules of a resource type, data type or component. @throws Error for a type that the release does not have */
  of(name: string): ObjectRule {
    const known = this.compiled.get(name);
    if (known) return known;
    const type = this.model.type(name);
    if (!type) throw new Error(`${this.release} has no type ${name}`);
    const made = this.compile(type);
    this.compiled.set(name, made);
    return made;
  }

  private compile(type: ElementType): ObjectRule {
    const choices = [...type.elements.values()].filter(({ choice }) => choice);
    const properties = [...type.properties].flatMap(([property, use]) =>
      this.compileProperties(type, property, use, choices.indexOf(use.element)),
    );
    if (type.kind === 'resource') properties.push(plainProperty('resourceType', () => undefined));
    if (this.release === 'dstu2') properties.push(plainProperty('fhir_comments', checkComments));
    return new ObjectRule(type.name, properties, type.elements.values(), invariantsOf.get(type.name) ?? []);
  }

  private compileProperties(
    type: ElementType,
    property: string,
    { element, type: use }: ElementProperty,
    choice: number,
  ): PropertyRule[] {
    const step = { property, elementName: element.name, choice, alternative: property };
    const format = this.formats.get(use.code);
    if (format) {
      const check = compileProperty(
        property,
        element.max,
        this.primitiveCheck(property, element, use.code, format),
        (holder, index) => has(holder[`_${property}`], index),
      );
      const primitive: PropertyRule = { ...step, holdsResource: false, check };
      return this.isAttribute(type, element) ? [primitive] : [primitive, this.companion(primitive, element.max)];
    }
    const holdsResource = this.model.isSubtype(use.code, 'Resource');
    const check = holdsResource
      ? compileResourceCheck(this.release, property, (name) => this.of(name))
      : this.complexCheck(property, element, use);
    return [{ ...step, holdsResource, check: compileProperty(property, element.max, check, () => false) }];
  }

  private isAttribute(type: ElementType, element: ElementDefinition): boolean {
    const owner = element.name === 'id' && type.kind !== 'resource' ? 'Element' : type.name;
    return ATTRIBUTES.has(`${owner}.${element.name}`);
  }

  /**
   * The rule of the property `_name`, which has the id and extensions of the primitive `name`:
   * https://hl7.org/fhir/R4/json.html#primitive.
   */
  private companion(primitive: PropertyRule, max: number): PropertyRule {
    const property = `_${primitive.property}`;
    const element = checkObject(property, () => this.of('Element'));
    const check: ValueCheck = (value, findings, holder, index) => {
      const checked = element(value, findings);
      if (!checked || checked['extension'] !== undefined || has(holder[primitive.property], index)) return;
      if (checked['id'] !== undefined)
        findings.fault('invariant', `${property} may have only an id where ${primitive.property} has a value.`);
    };
    return {
      ...primitive,
      property,
      check: compileProperty(property, max, check, (holder, index) => has(holder[primitive.property], index)),
    };
  }

  private primitiveCheck(
    property: string,
    element: ElementDefinition,
    code: string,
    format: PrimitiveFormat,
  ): ValueCheck {
    const binding = element.binding && compileBindingCheck(element.binding, code, property);
    return (value, findings) => {
      const fault = format(value);
      if (fault) findings.fault(fault.code, `${property} ${fault.rule}.`);
      else binding?.(value, findings);
    };
  }

  private complexCheck(
    property: string,
    element: ElementDefinition,
    { code, profile, targets }: ElementProperty['type'],
  ): ValueCheck {
    const object = checkObject(property, () => this.of(profile ?? code));
    const reference = code === 'Reference' ? compileReferenceCheck(this.release, targets) : undefined;
    const binding = element.binding && compileBindingCheck(element.binding, code, property);
    if (!reference && !binding) return object;
    return (value, findings) => {
      const checked = object(value, findings);
      if (!checked) return;
      reference?.(checked, findings);
      binding?.(checked, findings);
    };
  }
}

/** Whether a property has a value, or its array a value at the index. */
function has(property: JsonValue | undefined, index: number | undefined): boolean {
  const value = index === undefined ? property : Array.isArray(property) ? property[index] : undefined;
  return value !== undefined && value !== null;
}

function plainProperty(
  property: string,
  check: (value: JsonValue, holder: JsonObject, findings: Findings) => void,
): PropertyRule {
  return { property, elementName: property, holdsResource: false, choice: -1, alternative: property, check };
}

/** DSTU2 represents XML comments in JSON: https://hl7.org/fhir/DSTU2/json.html#xml. */
function checkComments(value: JsonValue, _holder: JsonObject, findings: Findings): void {
  if (!Array.isArray(value) || !value.every((comment) => typeof comment === 'string'))
    findings.fault('structure', 'fhir_comments must be an array of strings.');
}

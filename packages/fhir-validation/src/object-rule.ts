import type { ElementDefinition } from '@tributary/fhir-definitions';
import { isJsonObject, MAX_DEPTH, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import type { Findings, PathStep } from './findings';
import type { PropertyRule } from './property-rule';

/** Names of unknown properties that diagnostics repeat. Any other name could contain health data. */
const NAME = /^_?[A-Za-z][A-Za-z0-9]{0,63}$/;

/** A rule about an object as a whole. */
export type ObjectInvariant = (object: JsonObject, findings: Findings) => void;

/** A required element. */
interface RequiredElement {
  readonly step: PathStep;
  readonly min: number;
  /** The element's properties in JSON, one of which must exist. */
  readonly properties: readonly string[];
}

/** The validation rules of one type. */
export class ObjectRule {
  private readonly properties: ReadonlyMap<string, PropertyRule>;
  private readonly required: readonly RequiredElement[];

  constructor(
    private readonly type: string,
    properties: readonly PropertyRule[],
    elements: Iterable<ElementDefinition>,
    private readonly invariants: readonly ObjectInvariant[],
  ) {
    this.properties = new Map(properties.map((rule) => [rule.property, rule]));
    this.required = [...elements]
      .filter(({ min }) => min > 0)
      .map((element) => ({
        step: { property: element.name, elementName: element.name, holdsResource: false },
        min: element.min,
        properties: properties
          .filter(({ elementName }) => elementName === element.name)
          .map(({ property }) => property),
      }));
  }

  /** Checks an object at the current path of the findings. */
  check(object: JsonObject, findings: Findings): void {
    if (findings.depth >= MAX_DEPTH)
      return findings.fault('too-costly', `Elements may not be nested deeper than ${MAX_DEPTH} levels.`);
    findings.depth++;
    this.checkProperties(object, findings);
    for (const required of this.required) this.checkPresence(required, object, findings);
    for (const invariant of this.invariants) invariant(object, findings);
    findings.depth--;
  }

  private checkProperties(object: JsonObject, findings: Findings): void {
    let count = 0;
    let chosen: (string | undefined)[] | undefined;
    for (const name in object) {
      const value = object[name];
      if (value === undefined) continue;
      count++;
      const rule = this.properties.get(name);
      if (rule === undefined) {
        this.faultUnknown(name, findings);
        continue;
      }
      findings.enter(rule);
      if (rule.choice >= 0) {
        chosen ??= [];
        const before = chosen[rule.choice];
        if (before === undefined) chosen[rule.choice] = rule.alternative;
        else if (before !== rule.alternative)
          findings.fault(
            'structure',
            `${rule.elementName}[x] may have one type only, but there are ${before} and ${rule.alternative}.`,
          );
      }
      rule.check(value, object, findings);
      findings.leave();
    }
    if (count === 0) findings.fault('structure', `The ${this.type} may not be empty.`);
    else if (count === 1 && object['id'] !== undefined && this.type !== 'Element')
      findings.fault('invariant', `The ${this.type} may not have only an id.`);
  }

  private checkPresence({ step, min, properties }: RequiredElement, object: JsonObject, findings: Findings): void {
    for (const property of properties) {
      const value = object[property];
      if (value === undefined) continue;
      if (min > 1 && Array.isArray(value) && value.length < min)
        findings.faultAt(step, 'required', `${step.property} must occur at least ${min} times.`);
      return;
    }
    findings.faultAt(step, 'required', `${step.property} is required.`);
  }

  private faultUnknown(name: string, findings: Findings): void {
    if (!NAME.test(name))
      return findings.fault('structure', `The ${this.type} has a property with a name that no element has.`);
    const elementName = name.startsWith('_') ? name.slice(1) : name;
    findings.faultAt(
      { property: name, elementName, holdsResource: false },
      'structure',
      `The ${this.type} has no element ${name}.`,
    );
  }
}

/** The check of an element whose type is complex. The rule of the type is compiled by the first call. */
export function checkObject(
  property: string,
  rule: () => ObjectRule,
): (value: JsonValue, findings: Findings) => JsonObject | undefined {
  let compiled: ObjectRule | undefined;
  return (value, findings) => {
    if (!isJsonObject(value)) {
      findings.fault('structure', `${property} must be an object.`);
      return undefined;
    }
    compiled ??= rule();
    compiled.check(value, findings);
    return value;
  };
}

import type { JsonObject, JsonValue } from '@tributary/fhir-json';
import type { Findings, PathStep } from './findings';

/** The rule for one property of a type, compiled from its element. */
export interface PropertyRule extends PathStep {
  /** For a property of a choice, the choice's number within the type; otherwise -1. */
  readonly choice: number;
  /** The choice's type that the property stands for: valueString, of valueString and _valueString alike. */
  readonly alternative: string;
  /** Checks the property's value; `holder` is the object that has it. */
  readonly check: (value: JsonValue, holder: JsonObject, findings: Findings) => void;
}

/** Checks one value, not an array, at the place where the findings are: the whole of the holder's property, or its item at the index. */
export type ValueCheck = (value: JsonValue, findings: Findings, holder: JsonObject, index?: number) => void;

/** Applies a check to a property's value, which must be an array just when the element repeats. */
export function compileProperty(
  property: string,
  max: number,
  check: ValueCheck,
  whenNull: (holder: JsonObject, index: number) => boolean,
): PropertyRule['check'] {
  if (max === 0) return (_value, _holder, findings) => findings.fault('structure', `${property} is not allowed here.`);
  if (max === 1) {
    return (value, holder, findings) => {
      if (value === null) findings.fault('structure', `${property} may not be null.`);
      else if (Array.isArray(value)) findings.fault('structure', `${property} may not be an array.`);
      else check(value, findings, holder);
    };
  }
  return (value, holder, findings) => {
    if (!Array.isArray(value)) return findings.fault('structure', `${property} must be an array.`);
    if (value.length === 0) return findings.fault('structure', `${property} may not be an empty array.`);
    if (value.length > max) findings.fault('structure', `${property} may occur at most ${max} times.`);
    for (let index = 0; index < value.length; index++) {
      const item = value[index] as JsonValue;
      findings.enter(index);
      if (item !== null) {
        if (Array.isArray(item)) findings.fault('structure', `${property} may not have an array within the array.`);
        else check(item, findings, holder, index);
      } else if (!whenNull(holder, index)) {
        findings.fault(
          'structure',
          `${property} may have null only where the array beside it, with or without the underscore, has a value.`,
        );
      }
      findings.leave();
    }
  };
}

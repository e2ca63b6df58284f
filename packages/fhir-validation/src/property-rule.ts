import type { JsonObject, JsonValue } from '@tributary/fhir-json';
import type { Findings, PathStep } from './findings';

/** The rule of one property of a type, compiled from the definition of its element. */
export interface PropertyRule extends PathStep {
  /** The index of the choice (`value[x]`) within the type that the property belongs to; -1 for other properties. */
  readonly choice: number;
  /** The alternative of the choice: valueString for both valueString and _valueString. */
  readonly alternative: string;
  /** Checks the value of the property; `holder` is the object that has the property. */
  readonly check: (value: JsonValue, holder: JsonObject, findings: Findings) => void;
}

/** Checks one value that is no array: the property of the holder, or the item of the property at `index`. */
export type ValueCheck = (value: JsonValue, findings: Findings, holder: JsonObject, index?: number) => void;

/**
 * The check of a property. Its value must be an array if and only if the element repeats.
 * @param whenNull whether null is allowed at an index of the array: the other array, with or without the underscore,
 *   has a value there
 */
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
          `${property} may have null only where the other array, with or without the underscore, has a value.`,
        );
      }
      findings.leave();
    }
  };
}

import type { ElementBinding } from '@tributary/fhir-definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import type { Findings } from './findings';

/**
 * Checks that a code, Coding or CodeableConcept is in the value set of a required binding:
 * https://hl7.org/fhir/R4/terminologies.html#required.
 */
export type BindingCheck = (value: JsonValue, findings: Findings) => void;

/** The maximum number of codes that diagnostics list. */
const MAX_LISTED = 30;

/** The check of a required binding for values of a type. Undefined for types without codes. */
export function compileBindingCheck(binding: ElementBinding, type: string, property: string): BindingCheck | undefined {
  const rule = `${property} must be from the value set ${binding.valueSet}${listed(binding.codes)}.`;
  const fault = (findings: Findings): void => findings.fault('code-invalid', rule);
  switch (type) {
    case 'code':
    case 'string':
    case 'uri':
      return (value, findings) => {
        if (typeof value === 'string' && !binding.codes.has(value)) fault(findings);
      };
    case 'Coding':
      return (value, findings) => {
        if (isJsonObject(value) && isCoded(value) && !isMember(value, binding)) fault(findings);
      };
    case 'CodeableConcept':
      return (value, findings) => {
        if (!isJsonObject(value)) return;
        const codings = Array.isArray(value['coding']) ? value['coding'].filter(isJsonObject) : [];
        const says = codings.some(isCoded) || typeof value['text'] === 'string';
        if (says && !codings.some((coding) => isMember(coding, binding))) fault(findings);
      };
    default:
      return undefined;
  }
}

const isCoded = (coding: JsonObject): boolean => coding['code'] !== undefined || coding['system'] !== undefined;

function isMember({ system, code }: JsonObject, { codes, systems }: ElementBinding): boolean {
  if (typeof code !== 'string') return false;
  if (systems === undefined) return codes.has(code);
  return typeof system === 'string' && (systems.get(system)?.has(code) ?? false);
}

function listed(codes: ReadonlySet<string>): string {
  if (codes.size > MAX_LISTED) return '';
  return `: ${[...codes].join(', ')}`;
}

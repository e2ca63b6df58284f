import { movedCodeSystems } from '../code-maps/code-systems';
import { rewritten } from '../element-rules/basic-rules';
import type { ConversionRules } from '../rules/element-rule';

const OLD_BASE = 'http://hl7.org/fhir/';
const NEW_BASE = 'http://terminology.hl7.org/CodeSystem/';
const V2_OR_V3 = /^(v[23])\/([A-Za-z0-9]+)$/;

/** The URL of a code system in R4. */
function inR4(system: string): string {
  if (!system.startsWith(OLD_BASE)) return system;
  const name = system.slice(OLD_BASE.length);
  if (movedCodeSystems.has(name)) return NEW_BASE + name;
  const moved = V2_OR_V3.exec(name);
  return moved ? `${NEW_BASE}${moved[1]}-${moved[2]}` : system;
}

/** Units of quantities are codes as well. */
export const coding: ConversionRules = {
  elements: { 'Coding.system': rewritten(inR4), 'Quantity.system': rewritten(inR4) },
};

import { isJsonObject, type JsonObject } from '@tributary/fhir-json';
import { crossVersionUrl } from '../rules/extension-fallback';
import type { ElementRule, ConversionRules } from '../rules/element-rule';

const URL = crossVersionUrl('dstu2', 'HumanName.family');

/**
 * R4 has one family name. Several parts are joined, and each is also written to an extension, so the boundaries are
 * preserved.
 */
const joined: ElementRule = (source, target) => {
  const write = target.write(source, 'family');
  const writeExtension = target.writeExtension(source);
  return (value, companion, draft, context) => {
    const before = draft['family'];
    if (typeof before !== 'string' || typeof value !== 'string') return write(value, companion, draft, context);
    if (!hasParts(draft)) writeExtension(before, undefined, draft, context);
    writeExtension(value, companion, draft, context);
    draft['family'] = `${before} ${value}`;
  };
};

function hasParts({ extension }: JsonObject): boolean {
  return Array.isArray(extension) && extension.some((item) => isJsonObject(item) && item['url'] === URL);
}

export const humanNameOfDstu2: ConversionRules = { elements: { 'HumanName.family': joined } };

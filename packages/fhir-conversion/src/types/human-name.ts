import { isJsonObject, type JsonObject } from '@tributary/fhir-json';
import { crossVersionUrl } from '../rules/carrying';
import type { Change, Changes } from '../rules/change';

const URL = crossVersionUrl('dstu2', 'HumanName.family');

/** The parts of a family name are one string in R4. Where there are several, each is carried as well, so that nobody has to guess where one ends. */
const joined: Change = (source, site) => {
  const put = site.put(source, 'family');
  const carry = site.carry(source);
  return (value, companion, draft, run) => {
    const before = draft['family'];
    if (typeof before !== 'string' || typeof value !== 'string') return put(value, companion, draft, run);
    if (!hasParts(draft)) carry(before, undefined, draft, run);
    carry(value, companion, draft, run);
    draft['family'] = `${before} ${value}`;
  };
};

function hasParts({ extension }: JsonObject): boolean {
  return Array.isArray(extension) && extension.some((item) => isJsonObject(item) && item['url'] === URL);
}

export const humanNameOfDstu2: Changes = { elements: { 'HumanName.family': joined } };

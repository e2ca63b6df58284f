import { isJsonObject, type JsonObject } from '@tributary/fhir-json';
import { annotation } from '../changes/annotation';
import { renamed } from '../changes/moves';
import type { Change, Changes } from '../rules/change';
import { place } from '../rules/draft';

/** R4 has elements of their own for two of the relations to other observations. The others are carried. */
const related: Change = (source, site) => {
  const slots = new Map([
    ['has-member', site.slot('hasMember')],
    ['derived-from', site.slot('derivedFrom')],
  ]);
  const carry = site.carry(source);
  const convert = site.object('Reference', 'Reference');
  return (value, companion, draft, run) => {
    const relation = isJsonObject(value) ? plainRelation(value) : undefined;
    const slot = relation && slots.get(relation.type);
    if (relation && slot) place(draft, slot, convert(relation.target, run));
    else carry(value, companion, draft, run);
  };
};

/** A relation that says no more than its type and its target. */
function plainRelation({ type, target, ...others }: JsonObject): { type: string; target: JsonObject } | undefined {
  return typeof type === 'string' && isJsonObject(target) && Object.keys(others).length === 0
    ? { type, target }
    : undefined;
}

export const observationOfDstu2: Changes = {
  elements: {
    'Observation.comments': annotation('note'),
    'Observation.referenceRange.meaning': renamed('type'),
    'Observation.related': related,
  },
};

export const observationOfStu3: Changes = {
  elements: {
    'Observation.comment': annotation('note'),
    'Observation.context': renamed('encounter'),
    'Observation.related': related,
  },
};

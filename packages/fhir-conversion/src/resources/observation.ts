import { isJsonObject, type JsonObject } from '@tributary/fhir-json';
import { annotation } from '../element-rules/annotation';
import { renamed } from '../element-rules/basic-rules';
import type { ElementRule, ConversionRules } from '../rules/element-rule';
import { setProperty } from '../rules/target-property';

/** R4 has an element for two of the relation types. The other relations are written to extensions. */
const related: ElementRule = (source, target) => {
  const properties = new Map([
    ['has-member', target.property('hasMember')],
    ['derived-from', target.property('derivedFrom')],
  ]);
  const writeExtension = target.writeExtension(source);
  const convert = target.objectConversion('Reference', 'Reference');
  return (value, companion, draft, context) => {
    const relation = isJsonObject(value) ? plainRelation(value) : undefined;
    const property = relation && properties.get(relation.type);
    if (relation && property) setProperty(draft, property, convert(relation.target, context));
    else writeExtension(value, companion, draft, context);
  };
};

/** A relation that has only a type and a target. */
function plainRelation({ type, target, ...others }: JsonObject): { type: string; target: JsonObject } | undefined {
  return typeof type === 'string' && isJsonObject(target) && Object.keys(others).length === 0
    ? { type, target }
    : undefined;
}

export const observationOfDstu2: ConversionRules = {
  elements: {
    'Observation.comments': annotation('note'),
    'Observation.referenceRange.meaning': renamed('type'),
    'Observation.related': related,
  },
};

export const observationOfStu3: ConversionRules = {
  elements: {
    'Observation.comment': annotation('note'),
    'Observation.context': renamed('encounter'),
    'Observation.related': related,
  },
};

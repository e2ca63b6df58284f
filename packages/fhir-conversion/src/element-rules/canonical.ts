import { isJsonObject, type JsonObject } from '@tributary/fhir-json';
import type { ElementRule } from '../rules/element-rule';
import { setProperty } from '../rules/target-property';

const ABSOLUTE = /^(?:https?:\/\/|urn:)\S+$/;

/**
 * Writes a Reference that has only an absolute URL to the canonical element `name` of R4, and any other to an
 * extension.
 */
export function canonical(name: string): ElementRule {
  return (source, target) => {
    const property = target.property(name);
    const writeExtension = target.writeExtension(source);
    return (value, companion, draft, context) => {
      const url = isJsonObject(value) ? onlyUrl(value) : undefined;
      if (url === undefined || !setProperty(draft, property, url)) writeExtension(value, companion, draft, context);
    };
  };
}

function onlyUrl(reference: JsonObject): string | undefined {
  const { reference: url, ...others } = reference;
  return typeof url === 'string' && ABSOLUTE.test(url) && Object.keys(others).length === 0 ? url : undefined;
}

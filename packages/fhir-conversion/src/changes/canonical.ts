import { isJsonObject, type JsonObject } from '@tributary/fhir-json';
import type { Change } from '../rules/change';
import { place } from '../rules/draft';

const ABSOLUTE = /^(?:https?:\/\/|urn:)\S+$/;

/** A reference that is nothing but an absolute URL becomes a canonical of the R4 element `name`; any other is carried. */
export function canonical(name: string): Change {
  return (source, site) => {
    const slot = site.slot(name);
    const carry = site.carry(source);
    return (value, companion, draft, run) => {
      const url = isJsonObject(value) ? onlyUrl(value) : undefined;
      if (url === undefined || !place(draft, slot, url)) carry(value, companion, draft, run);
    };
  };
}

function onlyUrl(reference: JsonObject): string | undefined {
  const { reference: url, ...others } = reference;
  return typeof url === 'string' && ABSOLUTE.test(url) && Object.keys(others).length === 0 ? url : undefined;
}

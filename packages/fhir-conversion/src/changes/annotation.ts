import type { Change } from '../rules/change';
import { place } from '../rules/draft';
import { NotConvertible } from '../not-convertible';

/** The string becomes the text of an Annotation in the R4 element `name`. */
export function annotation(name: string): Change {
  return (source, site) => {
    const slot = site.slot(name);
    return (value, companion, draft, run) => {
      if (value !== undefined && typeof value !== 'string')
        throw new NotConvertible(`${source.path} must be a JSON string.`);
      const beside = site.companion(companion, run);
      place(draft, slot, { ...(value !== undefined && { text: value }), ...(beside && { _text: beside }) });
    };
  };
}

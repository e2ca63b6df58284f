import type { Change } from '../rules/change';
import { place } from '../rules/draft';

/** The concepts of R4 for the codes of an older release. */
export interface Concepts {
  readonly system: string;
  /** By the code of the older release. */
  readonly codes: Readonly<Record<string, string | undefined>>;
}

/** The code becomes a CodeableConcept of the R4 element `name`. A code that has no concept is carried. */
export function concept(name: string, { system, codes }: Concepts): Change {
  const map = new Map(Object.entries(codes));
  return (source, site) => {
    const slot = site.slot(name);
    const carry = site.carry(source);
    return (value, companion, draft, run) => {
      const code = typeof value === 'string' ? map.get(value) : undefined;
      if (code === undefined) return carry(value, companion, draft, run);
      const beside = site.companion(companion, run);
      if (!place(draft, slot, { coding: [{ system, code, ...(beside && { _code: beside }) }] }))
        carry(value, companion, draft, run);
    };
  };
}

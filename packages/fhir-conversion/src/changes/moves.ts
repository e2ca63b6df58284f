import type { Change } from '../rules/change';
import { place } from '../rules/draft';

/** The element has another name in R4; for a choice, the name can depend on the type. What does not fit there is carried. */
export function renamed(name: string | Readonly<Record<string, string>>): Change {
  return (source, site) =>
    site.put(source, typeof name === 'string' ? name : (name[source.type.code] ?? source.element.name));
}

/** The code has another code in R4. Codes that the map does not name stay as they are. */
export function recoded(codes: Readonly<Record<string, string>>): Change {
  const map = new Map(Object.entries(codes));
  return (source, site) => site.put(source, source.element.name, (code) => map.get(code) ?? code);
}

/** The string is another in R4. */
export function rewritten(rewrite: (value: string) => string): Change {
  return (source, site) => site.put(source, source.element.name, rewrite);
}

/** R4 has no place for the element: it is kept in the cross-version extension. */
export const carried: Change = (source, site) => site.carry(source);

/** The same for an element that changes the meaning of the resource. */
export const carriedAsModifier: Change = (source, site) => site.carryAsModifier(source);

/** R4 has the members of the component in its holder. */
export const dissolved: Change = (source, site) => site.dissolve(source);

/** The component becomes the reference that its member `whole` is, in the R4 element `name`. Its other members go into the reference, or are carried there. */
export function mergedInto(name: string, whole: string): Change {
  return (source, site) => {
    const slot = site.slot(name);
    const merge = site.merge(source, 'Reference', whole);
    return (value, _companion, draft, run) => void place(draft, slot, merge(value ?? null, run));
  };
}

/** The completion of the type says what becomes of the value. What lies beside a primitive value is carried together with it. */
export const leftToCompletion: Change = (source, site) => {
  const carry = site.carryAsModifier(source);
  return (value, companion, draft, run) => {
    if (companion !== undefined) carry(value, companion, draft, run);
  };
};

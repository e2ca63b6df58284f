import type { ElementRule } from '../rules/element-rule';
import { setProperty } from '../rules/target-property';

/**
 * The element has another name in R4, which can depend on the type of a choice. Incompatible values are written to an
 * extension.
 */
export function renamed(name: string | Readonly<Record<string, string>>): ElementRule {
  return (source, target) =>
    target.write(source, typeof name === 'string' ? name : (name[source.type.code] ?? source.element.name));
}

/** Codes are replaced by those of the map. Codes that the map does not have are unchanged. */
export function recoded(codes: Readonly<Record<string, string>>): ElementRule {
  const map = new Map(Object.entries(codes));
  return (source, target) => target.write(source, source.element.name, (code) => map.get(code) ?? code);
}

/** Strings are rewritten by a function. */
export function rewritten(rewrite: (value: string) => string): ElementRule {
  return (source, target) => target.write(source, source.element.name, rewrite);
}

/** R4 does not have the element: it is written to the cross-version extension. */
export const toExtension: ElementRule = (source, target) => target.writeExtension(source);

/** R4 does not have the element, which changes the meaning of the resource: it is written to a modifier extension. */
export const toModifierExtension: ElementRule = (source, target) => target.writeModifierExtension(source);

/** R4 has the elements of the component in the object that has the component. */
export const flattened: ElementRule = (source, target) => target.flatten(source);

/**
 * The component becomes a Reference in the R4 element `name`: its element `mainElement`. Its other elements are written
 * to the elements or extensions of the Reference.
 */
export function flattenedInto(name: string, mainElement: string): ElementRule {
  return (source, target) => {
    const property = target.property(name);
    const merge = target.flattenInto(source, 'Reference', mainElement);
    return (value, _companion, draft, context) => void setProperty(draft, property, merge(value ?? null, context));
  };
}

/**
 * The object rule of the type converts the value. A primitive with a companion is also written to a modifier extension.
 */
export const leftToObjectRule: ElementRule = (source, target) => {
  const writeExtension = target.writeModifierExtension(source);
  return (value, companion, draft, context) => {
    if (companion !== undefined) writeExtension(value, companion, draft, context);
  };
};

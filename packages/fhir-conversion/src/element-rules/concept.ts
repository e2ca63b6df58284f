import type { ElementRule } from '../rules/element-rule';
import { setProperty } from '../rules/target-property';

/** The codes of an older release that are concepts in R4. */
export interface Concepts {
  readonly system: string;
  readonly codes: ReadonlySet<string>;
}

/** Writes a code as a CodeableConcept to the R4 element `name`, and a code without a concept to an extension. */
export function concept(name: string, { system, codes }: Concepts): ElementRule {
  return (source, target) => {
    const property = target.property(name);
    const writeExtension = target.writeExtension(source);
    return (value, companion, draft, context) => {
      const code = typeof value === 'string' && codes.has(value) ? value : undefined;
      if (code === undefined) return writeExtension(value, companion, draft, context);
      const beside = target.companion(companion, context);
      if (!setProperty(draft, property, { coding: [{ system, code, ...(beside && { _code: beside }) }] }))
        writeExtension(value, companion, draft, context);
    };
  };
}

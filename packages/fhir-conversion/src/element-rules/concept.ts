import type { ElementRule } from '../rules/element-rule';
import { setProperty } from '../rules/target-property';

/** The R4 concepts for the codes of an older release. */
export interface Concepts {
  readonly system: string;
  /** R4 codes by the code of the older release. */
  readonly codes: Readonly<Record<string, string | undefined>>;
}

/** Writes a code as a CodeableConcept to the R4 element `name`, and a code without a concept to an extension. */
export function concept(name: string, { system, codes }: Concepts): ElementRule {
  const map = new Map(Object.entries(codes));
  return (source, target) => {
    const property = target.property(name);
    const writeExtension = target.writeExtension(source);
    return (value, companion, draft, context) => {
      const code = typeof value === 'string' ? map.get(value) : undefined;
      if (code === undefined) return writeExtension(value, companion, draft, context);
      const beside = target.companion(companion, context);
      if (!setProperty(draft, property, { coding: [{ system, code, ...(beside && { _code: beside }) }] }))
        writeExtension(value, companion, draft, context);
    };
  };
}

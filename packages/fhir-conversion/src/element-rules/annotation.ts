import type { ElementRule } from '../rules/element-rule';
import { setProperty } from '../rules/target-property';
import { NotConvertible } from '../not-convertible';

/** Writes a string as the text of an Annotation in the R4 element `name`. */
export function annotation(name: string): ElementRule {
  return (source, target) => {
    const property = target.property(name);
    return (value, companion, draft, context) => {
      if (value !== undefined && typeof value !== 'string')
        throw new NotConvertible(`${source.path} must be a JSON string.`);
      const beside = target.companion(companion, context);
      setProperty(draft, property, { ...(value !== undefined && { text: value }), ...(beside && { _text: beside }) });
    };
  };
}

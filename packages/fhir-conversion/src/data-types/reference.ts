import type { ElementRule, ConversionRules } from '../rules/element-rule';
import { referenceInR4 } from '../rules/references';

/** References have the type's name in R4. A reference to a type that R4 does not have is written to an extension. */
const renamedType: ElementRule = (source, target) => {
  const write = target.write(source, 'reference');
  const writeExtension = target.writeExtension(source);
  return (value, companion, draft, context) => {
    const reference = typeof value === 'string' ? referenceInR4(value, target.isR4Resource) : value;
    if (reference === undefined && value !== undefined) writeExtension(value, companion, draft, context);
    else write(reference, companion, draft, context);
  };
};

export const reference: ConversionRules = { elements: { 'Reference.reference': renamedType } };

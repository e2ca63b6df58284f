import { renamed } from '../element-rules/basic-rules';
import type { ElementRule, ConversionRules } from '../rules/element-rule';
import { setProperty } from '../rules/target-property';

/** R4 has a Reference for the signer. A URI becomes the identifier of the Reference. */
const signer: ElementRule = (source, target) => {
  if (source.type.code !== 'uri') return target.write(source, source.element.name);
  const property = target.property(source.element.name);
  return (value, companion, draft, context) => {
    const beside = target.companion(companion, context);
    setProperty(draft, property, {
      identifier: {
        system: 'urn:ietf:rfc:3986',
        ...(value !== undefined && { value }),
        ...(beside && { _value: beside }),
      },
    });
  };
};

export const signature: ConversionRules = {
  elements: {
    'Signature.blob': renamed('data'),
    'Signature.contentType': renamed('sigFormat'),
    'Signature.onBehalfOf': signer,
    'Signature.who': signer,
  },
};

import { renamed } from '../changes/moves';
import type { Change, Changes } from '../rules/change';
import { place } from '../rules/draft';

/** R4 names a signer by a reference. What was a URI becomes the identifier of the one referred to. */
const signer: Change = (source, site) => {
  if (source.type.code !== 'uri') return site.put(source, source.element.name);
  const slot = site.slot(source.element.name);
  return (value, companion, draft, run) => {
    const beside = site.companion(companion, run);
    place(draft, slot, {
      identifier: {
        system: 'urn:ietf:rfc:3986',
        ...(value !== undefined && { value }),
        ...(beside && { _value: beside }),
      },
    });
  };
};

export const signature: Changes = {
  elements: {
    'Signature.blob': renamed('data'),
    'Signature.contentType': renamed('sigFormat'),
    'Signature.onBehalfOf': signer,
    'Signature.who': signer,
  },
};

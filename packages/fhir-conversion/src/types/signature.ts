import { renamed } from '../changes/moves';
import type { Changes } from '../rules/change';

export const signature: Changes = {
  elements: {
    'Signature.blob': renamed('data'),
    'Signature.contentType': renamed('sigFormat'),
  },
};

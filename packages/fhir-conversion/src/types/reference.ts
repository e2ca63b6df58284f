import type { Change, Changes } from '../rules/change';
import { relocated } from '../rules/references';

/** The reference under its type's name in R4. One to a type that R4 does not have is carried. */
const renamedType: Change = (source, site) => {
  const put = site.put(source, 'reference');
  const carry = site.carry(source);
  return (value, companion, draft, run) => {
    const reference = typeof value === 'string' ? relocated(value, site.isR4Resource) : value;
    if (reference === undefined && value !== undefined) carry(value, companion, draft, run);
    else put(reference, companion, draft, run);
  };
};

export const reference: Changes = { elements: { 'Reference.reference': renamedType } };

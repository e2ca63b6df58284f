import type { ReactNode } from 'react';
import type { Account } from '../api/answers';
import { usePlace } from '../layout/place';
import { UnknownPage } from '../layout/unknown-page';

/** A page of the organisation that the address names, for its members. */
export function OfMembership({
  children,
}: {
  children: (organisation: Account['organisations'][number]) => ReactNode;
}): ReactNode {
  const { organisation } = usePlace();
  return organisation ? children(organisation) : <UnknownPage />;
}

import type { ReactNode } from 'react';
import { useSignedIn } from '../layout/account-context';
import { UnknownPage } from '../layout/unknown-page';

/** A page for operators. For all others there is none. */
export function OfOperator({ children }: { children: ReactNode }): ReactNode {
  return useSignedIn().is_operator ? children : <UnknownPage />;
}

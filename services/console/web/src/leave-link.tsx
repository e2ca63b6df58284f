import type { ReactNode } from 'react';
import { useLeaving } from './messages';

/** Leads back to the application, also out of a frame. */
export function LeaveLink({
  path,
  isPrimary,
  children,
}: {
  path: string;
  isPrimary?: boolean;
  children: ReactNode;
}): ReactNode {
  const leave = useLeaving();
  return (
    <a className={isPrimary ? 'primary' : undefined} href={`${path}/done`} target="_top" onClick={leave}>
      {children}
    </a>
  );
}

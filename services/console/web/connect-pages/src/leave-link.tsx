import type { ReactNode } from 'react';
import { useLeaving } from './messages';

/** Leads back to the application, also out of a frame. @param href undefined: there is no way back */
export function LeaveLink({
  href,
  isPrimary,
  children,
}: {
  href: string | undefined;
  isPrimary?: boolean;
  children: ReactNode;
}): ReactNode {
  const leave = useLeaving();
  if (href === undefined) return null;
  return (
    <a className={isPrimary ? 'primary' : undefined} href={href} target="_top" onClick={leave}>
      {children}
    </a>
  );
}

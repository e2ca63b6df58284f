import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

/** The address at which a heading has last been focused; none before the first navigation. */
let lastPath = location.pathname;

export interface PageProps {
  title: string;
  /** What the title is about, beside it, such as the mode of a client. */
  aside?: ReactNode;
  /** What can be done on the page. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page, to whose heading the focus moves when the address changes. */
export function Page({ title, aside, actions, children }: PageProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    document.title = `${title} · Tributary`;
  }, [title]);
  useEffect(() => {
    if (location.pathname === lastPath) return;
    lastPath = location.pathname;
    window.scrollTo(0, 0);
    const { activeElement } = document;
    // A field that asks for the focus keeps it.
    if (activeElement === document.body || !activeElement?.matches('input')) heading.current?.focus();
  }, [pathname]);
  return (
    <>
      <div className="page-head">
        <div className="page-title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {aside}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}

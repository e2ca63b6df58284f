import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

/** The page whose heading was focused last. That of the first page is not: the document begins with it. */
let lastPage: string | undefined;

export interface PageProps {
  title: string;
  /** What the page is about, for the title of the window. */
  subject?: string | undefined;
  /** What the title is about, beside it, such as the mode of a client. */
  aside?: ReactNode;
  /** What can be done on the page. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page, to whose heading the focus moves when it takes the place of another one. */
export function Page({ title, subject, aside, actions, children }: PageProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    document.title = [title, ...(subject === undefined ? [] : [subject]), 'Tributary'].join(' · ');
  }, [title, subject]);
  useEffect(() => {
    const page = `${pathname} ${title}`;
    const isFirst = lastPage === undefined;
    if (page === lastPage) return;
    lastPage = page;
    if (isFirst) return;
    window.scrollTo(0, 0);
    // A field that asks for the focus keeps it.
    if (!document.activeElement?.matches('input')) heading.current?.focus();
  }, [pathname, title]);
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

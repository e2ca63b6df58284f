import type { ReactNode } from 'react';

/** A list without entries: what it would have, and the next step. */
export function Empty({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section className="card empty">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

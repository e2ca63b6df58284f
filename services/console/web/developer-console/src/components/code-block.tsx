import type { ReactNode } from 'react';
import { CopyButton } from './copy-button';

/** Lines that are copied as a whole. */
export function CodeBlock({ text, what }: { text: string; what: string }): ReactNode {
  return (
    <div className="code-block">
      <pre tabIndex={0} role="group" aria-label={what}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}

import { type ReactNode, useEffect, useState } from 'react';
import { Icon } from './icons';

/** Copies a text. @param what names it for readers of the screen, such as `client_id` */
export function CopyButton({ text, what, label }: { text: string; what: string; label?: string }): ReactNode {
  const [isCopied, setCopied] = useState<boolean>();
  useEffect(() => {
    if (isCopied === undefined) return undefined;
    const timer = setTimeout(() => setCopied(undefined), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  const shown = { true: 'Copied', false: 'Select and copy it', undefined: label ?? 'Copy' }[String(isCopied)];
  return (
    <button type="button" className="small" onClick={copy}>
      <Icon name="copy" />
      <span aria-live="polite">
        {shown}
        <span className="hidden"> {what}</span>
      </span>
    </button>
  );
}

/** A value in full, with a button that copies it. */
export function Copyable({ text, what }: { text: string; what: string }): ReactNode {
  return (
    <span className="copyable">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}

import { createHash } from 'node:crypto';
import { pageStyle } from '@tributary/page-style';

/** The style sheet of the pages: that of all pages, and the list and text of messages. */
export const style = `${pageStyle}
main {
  max-width: 48rem;
}

.messages {
  padding-block: 0;
  list-style: none;
}

.messages li + li {
  border-top: 1px solid var(--line);
}

.messages a {
  display: grid;
  grid-template-columns: 1fr auto;
  gap: 0 var(--space-4);
  align-items: baseline;
  min-height: var(--target);
  padding: var(--space-3) 0;
  color: inherit;
  text-decoration: none;
}

.messages a:hover strong {
  text-decoration: underline;
}

.messages .muted {
  font-size: var(--small);
}

.messages .to {
  grid-column: 1 / -1;
}

@media (max-width: 30rem) {
  .messages a {
    grid-template-columns: 1fr;
  }
}

.text {
  white-space: pre-wrap;
}

dt:first-child {
  margin-top: 0;
}

/* Mail is written for white paper. */
iframe {
  display: block;
  width: 100%;
  height: 32rem;
  border: 1px solid var(--line);
  border-radius: var(--space-2);
  background: Canvas;
  color-scheme: light;
}
`;

/** Loads the list again when there is another newest message. */
export const script = `
const { newest } = document.body.dataset;
setInterval(async () => {
  const response = await fetch('/messages.json').catch(() => undefined);
  if (!response?.ok) return;
  const [message] = await response.json();
  if ((message?.id ?? '') !== newest) location.reload();
}, 2000);
`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export const pagePolicy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Of a message in HTML: it runs nothing, loads nothing, and its links open elsewhere. */
export const mailPolicy = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

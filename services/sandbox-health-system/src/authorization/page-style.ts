import { createHash } from 'node:crypto';
import { pageStyle } from '@tributary/page-style';

/** The style sheet of the pages: that of all pages for patients, and lists of people and scenarios. */
export const style = `${pageStyle}
fieldset {
  min-width: 0;
  margin: 0;
  padding: 0;
  border: 0;
}

ul {
  margin: 0 0 var(--space-3);
  padding-left: var(--space-6);
}

.card + h2 {
  margin-top: var(--space-8);
}

.field {
  margin: 0 0 var(--space-4);
}

.beside {
  display: flex;
  gap: var(--space-2);
}

.beside button {
  flex: none;
}

.beside + p {
  margin-top: var(--space-2);
}

.card details {
  margin: 0;
  border-top: 1px solid var(--line);
}

.card summary {
  font-weight: 600;
}

.choice {
  display: grid;
  grid-template-columns: auto 1fr;
  gap: 0 var(--space-3);
  align-content: center;
  min-height: var(--target);
  margin: 0;
  padding: var(--space-2) 0;
  font-weight: 400;
  cursor: pointer;
}

.choice input {
  width: 1.25rem;
  height: 1.25rem;
  margin: 0.125rem 0 0;
  accent-color: var(--accent);
}

.choice .muted {
  grid-column: 2;
}

.people {
  padding-block: 0;
  list-style: none;
}

.people li {
  padding: var(--space-3) 0;
}

.people li + li {
  border-top: 1px solid var(--line);
}
`;

/**
 * The Content-Security-Policy: the style sheet only. There is no `form-action`: browsers also apply it to redirects
 * after a form, and the further redirects of the client are not known here.
 */
export const pageSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

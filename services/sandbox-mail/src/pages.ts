import { type Message, linkified, maxMessages } from './mailbox';
import { script, style } from './page-style';

/** The list of messages, the newest first. */
export function listPage(messages: readonly Message[]): string {
  const list =
    messages.length === 0
      ? '<p class="card">No mail has arrived yet. This page shows it as soon as it does.</p>'
      : `<ul class="card messages">${messages.map(entryOf).join('')}</ul>`;
  return documentOf(
    'Mail',
    `<h1>Mail</h1>
<p class="notice">Every mail of this suite ends here: none is sent to anybody. The last ${maxMessages} are kept until the suite stops.</p>
${list}`,
    { newest: messages[0]?.id ?? '' },
  );
}

function entryOf({ id, to, subject, received_at: received }: Message): string {
  return `<li><a href="/messages/${id}"><strong>${subjectOf(subject)}</strong>${timeOf(received)}<span class="muted to">${escaped(to.join(', '))}</span></a></li>`;
}

/** A message: its plain text, and what it has in HTML in a frame of its own. */
export function messagePage({ id, from, to, subject, received_at: received, text, html }: Message): string {
  const frame = `<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" src="/messages/${id}.html" title="The message in HTML"></iframe>`;
  const parts = [
    ...(text === '' ? [] : [`<div class="card text">${linkified(text).map(partOf).join('')}</div>`]),
    ...(html === undefined ? [] : [text === '' ? frame : `<details><summary>In HTML</summary>${frame}</details>`]),
  ];
  return documentOf(
    subject || 'No subject',
    `<p><a href="/">All mail</a></p>
<h1>${subjectOf(subject)}</h1>
<dl class="card"><dt>From</dt><dd>${escaped(from)}</dd><dt>To</dt><dd>${escaped(to.join(', '))}</dd><dt>Received</dt><dd>${timeOf(received)}</dd></dl>
${parts.join('\n') || '<p class="card">The message has no text.</p>'}`,
  );
}

export function notFoundPage(): string {
  return documentOf(
    'No such mail',
    `<h1>No such mail</h1>
<p class="card">There is no mail at this address, or it is no longer kept.</p>
<p class="actions"><a class="primary" href="/">All mail</a></p>`,
  );
}

function partOf({ text, link }: { text: string; link?: string }): string {
  return link === undefined ? escaped(text) : `<a href="${escaped(link)}">${escaped(text)}</a>`;
}

function subjectOf(subject: string): string {
  return subject === '' ? '<em>No subject</em>' : `<bdi>${escaped(subject)}</bdi>`;
}

/** @param time in ISO 8601, in UTC */
function timeOf(time: string): string {
  return `<time class="muted" datetime="${time}">${time.slice(0, 10)} ${time.slice(11, 19)} UTC</time>`;
}

/**
 * @param body HTML
 * @param newest on a page that is loaded again: the id of the newest message, or nothing
 */
function documentOf(title: string, body: string, { newest }: { newest?: string } = {}): string {
  const [data, code] = newest === undefined ? ['', ''] : [` data-newest="${newest}"`, `<script>${script}</script>`];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} – Sandbox mail</title><style>${style}</style></head>
<body${data}><main>${body}</main>${code}</body></html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

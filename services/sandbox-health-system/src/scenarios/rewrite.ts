import type { PageEntry, Reply } from './scenario';

/** Changes the body of a reply if it is text. */
export function withText(reply: Reply, change: (text: string) => string): Reply {
  return typeof reply.body === 'string' ? { ...reply, body: change(reply.body) } : reply;
}

/** Changes the text of each entry of a page. */
export function withEntryTexts(entries: PageEntry[], change: (text: string, index: number) => string): PageEntry[] {
  return entries.map((entry, index) => ({ ...entry, text: change(entry.text, index) }));
}

/** Inserts a member at the start of a JSON object. */
export function withMember(text: string, member: string): string {
  return text.replace('{', `{${member},`);
}

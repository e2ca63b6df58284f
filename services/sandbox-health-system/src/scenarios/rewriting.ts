import type { PageEntry, Reply } from './scenario';

/** A reply with its text changed; content that is not text stays as it is. */
export function withText(reply: Reply, change: (text: string) => string): Reply {
  return typeof reply.body === 'string' ? { ...reply, body: change(reply.body) } : reply;
}

/** A page's entries with the text of each resource changed. */
export function withEntryTexts(entries: PageEntry[], change: (text: string, index: number) => string): PageEntry[] {
  return entries.map((entry, index) => ({ ...entry, text: change(entry.text, index) }));
}

/** Writes a member into the resource of a text, before the others. */
export function withMember(text: string, member: string): string {
  return text.replace('{', `{${member},`);
}

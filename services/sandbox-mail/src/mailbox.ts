import { randomUUID } from 'node:crypto';
import PostalMime from 'postal-mime';

/** A message as it is shown. */
export interface Message {
  id: string;
  /** When it was received, in ISO 8601. */
  received_at: string;
  /** The sender of the envelope; empty for a bounce. */
  from: string;
  /** The recipients of the envelope. */
  to: string[];
  subject: string;
  text: string;
  html: string | undefined;
  /** The http(s) addresses in the text, in their order. */
  links: string[];
}

export interface Envelope {
  from: string;
  to: string[];
}

/** How many messages are kept. */
export const maxMessages = 200;

/** The last messages, in memory. */
export class Mailbox {
  readonly #messages: Message[] = [];

  /** @param source the message in the format of RFC 5322 */
  async add(envelope: Envelope, source: Buffer): Promise<void> {
    const { subject = '', text = '', html } = await PostalMime.parse(source);
    this.#messages.unshift({
      id: randomUUID(),
      received_at: new Date().toISOString(),
      ...envelope,
      subject,
      text,
      html,
      links: linkified(text).flatMap(({ link }) => link ?? []),
    });
    this.#messages.length = Math.min(this.#messages.length, maxMessages);
  }

  /** @param recipient of the messages, or undefined for those of all. @returns the newest first */
  list(recipient?: string): readonly Message[] {
    const address = recipient?.toLowerCase();
    if (address === undefined) return this.#messages;
    return this.#messages.filter(({ to }) => to.some((each) => each.toLowerCase() === address));
  }

  find(id: string): Message | undefined {
    return this.#messages.find((message) => message.id === id);
  }
}

/** The parts of a text; those that are http(s) addresses have a link. A point behind an address is of the sentence. */
export function linkified(text: string): { text: string; link?: string }[] {
  return text
    .split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}'])/)
    .map((part, index) => (index % 2 === 1 ? { text: part, link: part } : { text: part }))
    .filter(({ text: part }) => part !== '');
}

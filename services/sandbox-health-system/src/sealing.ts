import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Writes facts into an opaque text which nobody else can make or change, and reads them back.
 * Codes, tokens, sign-in transactions and page cursors are such texts: the sandbox keeps no table of them,
 * so that they outlive its restart.
 */
export class Seal {
  constructor(private readonly secret: string) {}

  /** Seals `facts` for one purpose; the text opens for that purpose alone. */
  close(purpose: string, facts: object): string {
    const body = Buffer.from(JSON.stringify(facts)).toString('base64url');
    return `${body}.${this.mac(purpose, body)}`;
  }

  /** Opens a text sealed for `purpose`; undefined when it is forged, damaged or of another purpose. */
  open<Facts extends object>(purpose: string, text: string): Facts | undefined {
    const [body, mac, ...rest] = text.split('.');
    if (!body || !mac || rest.length > 0) return undefined;
    const expected = Buffer.from(this.mac(purpose, body));
    const given = Buffer.from(mac);
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined;
    return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Facts;
  }

  private mac(purpose: string, body: string): string {
    return createHmac('sha256', this.secret).update(purpose).update('\0').update(body).digest('base64url');
  }
}

import type { RedisClient } from '@tributary/service-kit';
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';

const pageSession = z.object({
  clientId: z.string(),
  serviceUserId: z.number(),
  accessToken: z.string(),
  /** One of the client, to which the page leads back. */
  redirectUri: z.string(),
  state: z.string().optional(),
  /** How the application calls the account of the user. */
  accountName: z.string().optional(),
  /** Whether a page of the application shows the pages in a frame. */
  isFramed: z.literal(true).optional(),
});
export type PageSession = z.infer<typeof pageSession>;

const madeConnection = z.object({
  connectionId: z.string(),
  healthSystemId: z.number(),
  /** The Patient was another person than those of the record. */
  isOtherPerson: z.literal(true).optional(),
});
/** A connection that was made on the pages of a session. */
export type MadeConnection = z.infer<typeof madeConnection>;

const sessionKey = z.object({ id: z.string(), secret: z.string() });
/** Names a session: the id is in the addresses of its pages, the secret in a cookie of its browser. */
export type SessionKey = z.infer<typeof sessionKey>;

const endingSeconds = 30;
/** As long as an access token is valid. */
const maxSeconds = 7200;

/**
 * The sessions of the connect pages, in Redis, so that every replica can serve them. A session is sealed under a key
 * that is derived from the secret of its browser, so nobody can read it in Redis alone.
 */
export class PageSessions {
  constructor(private readonly redis: RedisClient) {}

  /** @param seconds until it ends: at most as long as an access token is valid */
  async create(session: PageSession, seconds: number): Promise<SessionKey> {
    const key = { id: randomBytes(16).toString('base64url'), secret: randomBytes(32).toString('base64url') };
    await this.redis.set(nameOf(key), seal(key, session), 'EX', Math.min(seconds, maxSeconds));
    return key;
  }

  /** Undefined when there is no such session, or it has ended. */
  async find(key: SessionKey): Promise<PageSession | undefined> {
    const sealed = await this.redis.getBuffer(nameOf(key));
    return sealed ? pageSession.parse(open(key, sealed)) : undefined;
  }

  /**
   * A ticket for another window of the browser: the cookie of a frame belongs to the site that shows the frame, and no
   * window has it. It ends with the session.
   */
  async createTicket(key: SessionKey): Promise<string> {
    const ticket = randomBytes(32).toString('base64url');
    await this.redis.set(ticketNameOf(ticket), seal(ticketKey(ticket), key), 'EX', await this.secondsLeft(key));
    return ticket;
  }

  /** Undefined when there is no such ticket, or it has ended. */
  async findTicket(ticket: string): Promise<SessionKey | undefined> {
    const sealed = await this.redis.getBuffer(ticketNameOf(ticket));
    return sealed ? sessionKey.parse(open(ticketKey(ticket), sealed)) : undefined;
  }

  /** How long a session still lasts: at least a second. */
  async secondsLeft(key: SessionKey): Promise<number> {
    return Math.max(1, await this.redis.ttl(nameOf(key)));
  }

  /** Ends a session soon: a second click on the way out still works. */
  async end(key: SessionKey): Promise<void> {
    await this.redis
      .multi()
      .expire(nameOf(key), endingSeconds, 'LT')
      .expire(madeNameOf(key), endingSeconds, 'LT')
      .exec();
  }

  /** Remembers connections for the way back to the application, also of two tabs at the same time. */
  async addMade(key: SessionKey, made: readonly MadeConnection[]): Promise<void> {
    const name = madeNameOf(key);
    await this.redis
      .multi()
      .rpush(name, ...made.map((one) => seal(key, one)))
      .expire(name, maxSeconds)
      .exec();
  }

  /** The connections that were made, in their order. */
  async made(key: SessionKey): Promise<MadeConnection[]> {
    const sealed = await this.redis.lrangeBuffer(madeNameOf(key), 0, -1);
    return sealed.map((one) => madeConnection.parse(open(key, one)));
  }
}

function nameOf({ id, secret }: SessionKey): string {
  return `connect-page:{${createHash('sha256').update(`${id} ${secret}`).digest('base64url')}}`;
}

function madeNameOf(key: SessionKey): string {
  return `${nameOf(key)}:made`;
}

function ticketNameOf(ticket: string): string {
  return nameOf(ticketKey(ticket));
}

function ticketKey(ticket: string): SessionKey {
  return { id: 'ticket', secret: ticket };
}

const algorithm = 'aes-256-gcm';
const [nonceBytes, tagBytes] = [12, 16];

function seal(key: SessionKey, value: object): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keyOf(key), nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

function open(key: SessionKey, sealed: Buffer): unknown {
  const [nonce, tag] = [sealed.subarray(0, nonceBytes), sealed.subarray(nonceBytes, nonceBytes + tagBytes)];
  const decipher = createDecipheriv(algorithm, keyOf(key), nonce).setAuthTag(tag);
  const text = Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
  return JSON.parse(text.toString());
}

function keyOf({ id, secret }: SessionKey): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, id, 'connect page', 32));
}

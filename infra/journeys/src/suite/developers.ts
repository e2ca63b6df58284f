import { waitUntil } from '@tributary/test-environment';
import { Secret, TOTP } from 'otpauth';
import { type Reply, http } from './http';
import type { Ready } from './ready';

export const developerPassword = 'plain violet harbour 81';
let count = 0;

/** A code of an authenticator. @param steps of half a minute from now */
export function totpCode(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
}

/** An address that no developer has. */
export function newDeveloperAddress(): string {
  return `developer-${process.pid}-${Date.now()}-${count++}@example.org`;
}

/** The link to a page of the console in the last mail to an address. */
export async function mailedLink(
  { mail_url }: Ready,
  to: string,
  page: 'verify-email' | 'invitation',
): Promise<string> {
  const url = `${mail_url}/messages.json?${new URLSearchParams({ to }).toString()}`;
  const link = async (): Promise<string> => String((await http('GET', url)).json.at(0, 'links', 0));
  await waitUntil(async () => (await link()).includes(`/console/${page}#`), `a mail with a link to ${page}`, 100);
  return link();
}

/** The API of the developer console as its pages use it: with a cookie, and from its own origin. */
export class DeveloperSession {
  #cookie = '';
  /** Of the authenticator. */
  totpSecret = '';

  constructor(
    private readonly ready: Ready,
    readonly email = newDeveloperAddress(),
  ) {}

  /** Signs up, verifies the address, and adds an authenticator. */
  static async signUp(ready: Ready): Promise<DeveloperSession> {
    const session = new DeveloperSession(ready);
    const { email } = session;
    await session.call('POST', 'sign-up', { email, password: developerPassword, name: 'Ada Hart' });
    const token = new URL(await mailedLink(ready, email, 'verify-email')).hash.replace('#token=', '');
    await session.call('POST', 'verify-email', { token, password: developerPassword });
    session.totpSecret = (await session.call('POST', 'account/totp', {})).json.text('secret');
    const { status } = await session.call('POST', 'account/totp/confirm', { code: totpCode(session.totpSecret) });
    if (status !== 200) throw new Error(`the authenticator was not accepted: ${status}`);
    return session;
  }

  /** The cookie of the session. */
  get cookie(): { name: string; value: string } {
    const [name = '', value = ''] = this.#cookie.split('=');
    return { name, value };
  }

  /** Makes another developer a member of an organisation. */
  async invite(organisation: string, member: DeveloperSession, role: string): Promise<void> {
    await this.call('POST', `organisations/${organisation}/invitations`, { email: member.email, role });
    const token = new URL(await mailedLink(this.ready, member.email, 'invitation')).hash.replace('#token=', '');
    const { status } = await member.call('POST', 'invitations/accept', { token });
    if (status !== 200) throw new Error(`the invitation was not accepted: ${status}`);
  }

  async call(method: string, path: string, json?: unknown): Promise<Reply> {
    const reply = await http(method, `${this.ready.base_url}/console/api/v1/${path}`, {
      headers: { Origin: new URL(this.ready.base_url).origin, ...(this.#cookie ? { Cookie: this.#cookie } : {}) },
      ...(json === undefined ? {} : { json }),
    });
    const [set] = reply.headers.getSetCookie();
    if (set !== undefined) [this.#cookie = ''] = set.split(';');
    return reply;
  }
}

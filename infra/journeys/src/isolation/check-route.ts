import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { type Reply, http } from '../suite/http';
import type { Operation } from './operations';
import { type Credentials, type Party, type Scheme, type World, sentBy } from './parties';
import type { Call, Identifiers, RouteCase, Sender } from './route-case';

/** A response as far as it may not depend on whether an identifier exists. */
interface Comparable {
  status: number;
  headers: Record<string, string | null>;
  body: string;
}

const isUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Identifiers of the same form that name nothing. */
export function unknownLike(identifiers: Identifiers): Identifiers {
  return Object.fromEntries(Object.entries(identifiers).map(([name, value]) => [name, unknownValue(value)]));
}

function unknownValue(value: string | number): string | number {
  if (typeof value === 'number') return randomInt(1_500_000_000, 2_000_000_000);
  // Ids that the service assigns have another UUID version than ids of clients.
  if (isUuid.test(value)) return `${randomUUID().slice(0, 14)}${value[14]}${randomUUID().slice(15)}`;
  if (value.startsWith('msg_')) return `msg_${randomUUID()}`;
  return randomBytes(value.length).toString('base64url').slice(0, value.length);
}

/** Before an identifier; a user's number can be that of a page. */
const notWithin = String.raw`(?<!\w|"(?:limit|offset|total)":)`;

/** The response without what differs between any two responses, and with names in place of the identifiers. */
export function comparable({ status, headers, text }: Reply, identifiers: Identifiers): Comparable {
  const replaced = Object.entries(identifiers).reduce(
    (body, [name, value]) =>
      body.replaceAll(new RegExp(`${notWithin}${escaped(String(value))}(?!\\w)`, 'g'), `<${name}>`),
    text.replaceAll(encodeURIComponent('@'), '@'),
  );
  const body = replaced
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g, '<time>');
  const compared = [
    'content-type',
    'www-authenticate',
    'allow',
    'etag',
    'cache-control',
    'access-control-allow-origin',
  ];
  return { status, headers: Object.fromEntries(compared.map((name) => [name, headers.get(name)])), body };
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** Sends the requests of a route for every situation, and says what is wrong with the responses. */
export class RouteCheck {
  readonly #problems: string[] = [];
  readonly #identifiers = new Map<Scheme, Identifiers>();

  /** @param base the base URL of the operation */
  constructor(
    private readonly world: World,
    private readonly base: string,
    private readonly operation: Operation,
    private readonly route: RouteCase,
  ) {}

  /**
   * Checks several routes at once.
   * @param digest everything of the owner that a request could change
   */
  static async run(checks: readonly RouteCheck[], digest: () => Promise<Map<string, string>>): Promise<string[]> {
    await Promise.all(checks.map((check) => check.#prepare()));
    const before = await digest();
    await Promise.all(checks.map((check) => check.#sendOthers()));
    const after = await digest();
    const changed = [...new Set([...before.keys(), ...after.keys()])]
      .filter((kind) => before.get(kind) !== after.get(kind))
      .map((kind) => `while others sent requests, the owner’s data of the kind ${kind} have changed`);
    await Promise.all(checks.map((check) => check.#sendOwners()));
    await Promise.all(checks.map((check) => check.#refusesFormer()));
    return [...changed, ...checks.flatMap((check) => check.#problems)];
  }

  /** Sends one request of the owner, by the first security scheme. */
  async runAsOwner(): Promise<string[]> {
    await this.#prepare(this.#schemes().slice(0, 1));
    await this.#sendOwners();
    return this.#problems;
  }

  async #prepare(schemes = this.#schemes()): Promise<void> {
    for (const scheme of schemes)
      this.#identifiers.set(scheme, (await this.route.make?.(this.world.owner, scheme)) ?? {});
  }

  async #sendOthers(): Promise<void> {
    for (const [scheme, identifiers] of this.#identifiers) {
      await this.#refusesCredentials(scheme, identifiers);
      await this.#hidesFromOthers(scheme, identifiers);
    }
  }

  /** The identifiers are still those of the owner, which also shows that the requests of the others were valid. */
  async #sendOwners(): Promise<void> {
    const { owner } = this.world;
    for (const [scheme, identifiers] of this.#identifiers) {
      const { status, text } = await this.#send(identifiers, { party: owner, scheme, isOwner: true });
      const { succeeds = 200 } = this.route;
      if (status !== succeeds)
        this.#problem(`${scheme}: the owner gets ${status} in place of ${succeeds}: ${text.slice(0, 300)}`);
    }
  }

  #schemes(): readonly Scheme[] {
    if (this.route.schemes) return this.route.schemes;
    const schemes = this.operation.security.map((name) => (name === '' ? 'client_in_form' : name));
    return schemes as Scheme[];
  }

  async #refusesCredentials(scheme: Scheme, identifiers: Identifiers): Promise<void> {
    if (scheme === 'open') return;
    const invalid = new Map<string, Comparable>();
    for (const [situation, credentials] of this.world.refused) {
      if (situation !== 'none' && sentBy(scheme, credentials, this.world.owner) === undefined) continue;
      const reply = await this.#send(identifiers, { party: this.world.owner, scheme, isOwner: false }, credentials);
      const expected = situation === 'none' ? (this.route.withoutCredentials ?? 401) : 401;
      if (reply.status !== expected)
        this.#problem(`${scheme}: credentials ${situation}: ${reply.status} in place of ${expected}`);
      if (reply.text.includes(this.world.mark)) this.#problem(`${scheme}: credentials ${situation}: owner’s data`);
      if (situation !== 'none' && credentials.userToken !== undefined && scheme !== 'connect_link')
        if (credentials.client === undefined) invalid.set(situation, comparable(reply, identifiers));
    }
    // An expired, revoked or forged token says nothing about the user that it was issued for.
    if (scheme === 'user_token' && new Set([...invalid.values()].map((each) => JSON.stringify(each))).size > 1)
      this.#problem(`${scheme}: tokens that are not valid get different responses: ${JSON.stringify([...invalid])}`);
  }

  async #hidesFromOthers(scheme: Scheme, identifiers: Identifiers, about = 'current'): Promise<void> {
    const { otherUser, otherClient, mark } = this.world;
    const others: [string, Party][] = [
      // Client credentials act for all users of the client.
      ...(scheme === 'user_token' || scheme === 'connect_link' ? [['other user', otherUser] as [string, Party]] : []),
      ['other client', otherClient],
    ];
    for (const [caller, party] of others) {
      const situation = `${caller}, ${about}`;
      const sender: Sender = { party, scheme, isOwner: false };
      const reply = await this.#send(identifiers, sender);
      if (reply.text.includes(mark)) this.#problem(`${scheme}: ${situation}: the response has the owner’s data`);
      if (!this.route.make) continue;
      const { refuses = 404, isNew, differs } = this.route;
      if (reply.status !== refuses)
        this.#problem(`${scheme}: ${situation}: ${reply.status} in place of ${refuses}: ${reply.text.slice(0, 300)}`);
      if (differs !== undefined) continue;
      const unknown = unknownLike(identifiers);
      await this.#compare(
        `${scheme}, ${situation}`,
        [reply, identifiers],
        [await this.#send(unknown, sender), unknown],
        isNew,
      );
    }
  }

  /** What callers get for identifiers of something that is deleted, deactivated, expired, or of another release. */
  async #refusesFormer(): Promise<void> {
    const [scheme] = this.#schemes();
    const { owner } = this.world;
    for (const situation of ['deleted', 'deactivated', 'expired', 'otherRelease'] as const) {
      const former = this.route[situation];
      if (!former || scheme === undefined) continue;
      const identifiers = await former.make(owner);
      if (this.route.differs === undefined) await this.#hidesFromOthers(scheme, identifiers, situation);
      const sender: Sender = { party: owner, scheme, isOwner: true };
      const reply = await this.#send(identifiers, sender);
      if (former.status === undefined) {
        const unknown = unknownLike(identifiers);
        await this.#compare(situation, [reply, identifiers], [await this.#send(unknown, sender), unknown], undefined);
      } else if (reply.status !== former.status)
        this.#problem(
          `${scheme}: ${situation}: ${reply.status} in place of ${former.status}: ${reply.text.slice(0, 300)}`,
        );
    }
  }

  async #compare(
    situation: string,
    [reply, identifiers]: [Reply, Identifiers],
    [unknownReply, unknown]: [Reply, Identifiers],
    isNew: true | undefined,
  ): Promise<void> {
    const [one, other] = [comparable(reply, identifiers), comparable(unknownReply, unknown)];
    const same = isNew ? one.status === other.status : JSON.stringify(one) === JSON.stringify(other);
    if (!same)
      this.#problem(`${situation}: ${JSON.stringify(one)}, and for unknown identifiers ${JSON.stringify(other)}`);
  }

  #problem(text: string): void {
    this.#problems.push(`${this.operation.operationId}: ${text}`);
  }

  async #send(
    identifiers: Identifiers,
    sender: Sender,
    credentials: Partial<Credentials> = sender.party,
  ): Promise<Reply> {
    const call = this.route.request(identifiers, sender);
    const sent = sentBy(sender.scheme, credentials, this.world.owner) ?? {};
    return send(this.base, this.operation, {
      ...call,
      query: { ...call.query, ...sent.query },
      headers: { ...call.headers, ...sent.headers },
      ...(call.form || sent.form ? { form: { ...call.form, ...sent.form } } : {}),
    });
  }
}

/** Sends a request of an operation. */
export function send(base: string, { method, path }: Operation, call: Call): Promise<Reply> {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(call.path?.[name] ?? '')),
  );
  const query = new URLSearchParams(call.query).toString();
  return http(method, `${base}${filled}${query === '' ? '' : `?${query}`}`, {
    ...(call.headers ? { headers: call.headers } : {}),
    ...(call.form ? { form: call.form } : {}),
    ...(call.json ? { json: call.json } : {}),
  });
}

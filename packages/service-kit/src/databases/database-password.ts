import { type Client, type ClientConfig, Pool } from 'pg';
import type { Secret } from '../config/secrets';

/** How often a connection is tried again with another password. */
const furtherAttempts = 2;

/**
 * The password of a role while it is replaced. PostgreSQL accepts one password of a role at a time, so nobody knows
 * which of several is valid until one was refused: the one that was valid last is used, and after a refusal another
 * one. The values may be written before or after the role is altered.
 */
export class DatabasePassword {
  #valid: string | undefined;
  readonly #refused = new Set<string>();

  constructor(private readonly secret: Secret) {}

  get current(): string {
    const { accepted } = this.secret;
    const candidates = accepted.filter((value) => !this.#refused.has(value));
    if (this.#valid !== undefined && candidates.includes(this.#valid)) return this.#valid;
    return (candidates.at(-1) ?? accepted.at(-1)) as string;
  }

  wasValid(value: string): void {
    this.#valid = value;
    this.#refused.clear();
  }

  wasRefused(value: string): void {
    // The password may have been replaced a moment ago.
    this.secret.refresh?.();
    this.#refused.add(value);
    // Each may have become valid since it was refused.
    if (this.secret.accepted.every((one) => this.#refused.has(one))) {
      this.#refused.clear();
      this.#refused.add(value);
    }
  }
}

/** A client class that connects with the password, which the URL does not have. */
export function clientWith(password: DatabasePassword, Base: typeof Client): typeof Client {
  return class extends Base {
    constructor(config?: string | ClientConfig) {
      super(config);
      // The parameters of a URL replace the option of this name, also where the URL has none.
      Object.assign(this, { password: () => password.current });
    }

    // The overloads of pg's `connect` cannot be distinguished here.
    override connect(...[callback]: unknown[]): never {
      const learn = (error: unknown): void => {
        // pg has replaced the function by the value that it has sent. A server that trusts the address asks for none.
        const { password: used } = this as unknown as { password?: unknown };
        if (typeof used !== 'string') return;
        if (!error) password.wasValid(used);
        else if (isRefusal(error)) password.wasRefused(used);
      };
      if (typeof callback === 'function')
        return super.connect((error: Error) => {
          learn(error);
          callback(error);
        }) as never;
      return super.connect().then(
        (client) => {
          learn(undefined);
          return client;
        },
        (error: unknown) => {
          learn(error);
          throw error;
        },
      ) as never;
    }
  };
}

/** A pool whose callers do not notice that a password has been replaced. */
export class PasswordPool extends Pool {
  // The overloads of pg's `connect` cannot be distinguished here.
  override connect(...[callback]: unknown[]): never {
    const connecting = withFurtherAttempts(() => super.connect());
    if (typeof callback !== 'function') return connecting as never;
    return void connecting.then(
      (client) => callback(undefined, client, client.release.bind(client)) as unknown,
      (error: unknown) => callback(error, undefined, () => undefined) as unknown,
    ) as never;
  }
}

/**
 * Connects a client.
 * @param make makes one that is not connected
 */
export function connectClient(make: () => Client): Promise<Client> {
  return withFurtherAttempts(async () => {
    const client = make();
    await client.connect();
    return client;
  });
}

async function withFurtherAttempts<T>(connect: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await connect();
    } catch (error) {
      if (!isRefusal(error) || attempt === furtherAttempts) throw error;
    }
  }
}

/** Whether PostgreSQL or PgBouncer has refused the password. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === '28P01' || (error.code === '08P01' && /authentication failed/i.test(error.message));
}

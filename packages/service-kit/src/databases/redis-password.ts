import type { Secret } from '../config/secrets';

/**
 * The password with which connections are opened. While it is replaced, nobody knows which of several is valid: the one
 * that was valid last comes first, and the others follow, the newest first.
 */
export class RedisPassword {
  #valid: string | undefined;

  constructor(private readonly secret: Secret) {}

  /** @param attempt how often connecting has failed since a password was valid */
  forAttempt(attempt: number): string {
    this.secret.refresh?.();
    const { accepted } = this.secret;
    const others = accepted.filter((value) => value !== this.#valid).reverse();
    const order = this.#valid !== undefined && accepted.includes(this.#valid) ? [this.#valid, ...others] : others;
    return order[attempt % order.length] as string;
  }

  wasAccepted(password: string | undefined): void {
    this.#valid = password;
  }
}

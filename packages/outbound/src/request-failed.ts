import { AddressNotAllowed } from './public-address';

/**
 * Why a request has no usable response:
 * - `address`: it must not be called
 * - `timeout`: it took too long, or nothing arrived for too long
 * - `too_large`: the body has more bytes than the caller accepts
 * - `expansion`: the body grows so much when it is decoded that it must be an attack
 * - `cancelled`: the caller ended it
 * - `connection`: all else, such as a name that does not resolve or a connection that broke
 */
export type FailureKind = 'address' | 'timeout' | 'too_large' | 'expansion' | 'cancelled' | 'connection';

/**
 * A request without a usable response. Neither the reason nor the message contains the URL, which can hold an
 * authorization code.
 */
export class OutboundRequestFailed extends Error {
  /** @param reason the code of a network or TLS error, or a few words */
  constructor(
    readonly reason: string,
    readonly kind: FailureKind = 'connection',
  ) {
    super(`the request failed: ${reason}`);
    this.name = 'OutboundRequestFailed';
  }
}

export const timedOut = (): OutboundRequestFailed => new OutboundRequestFailed('ETIMEDOUT', 'timeout');
export const cancelled = (): OutboundRequestFailed => new OutboundRequestFailed('ABORT_ERR', 'cancelled');

export function toFailure(error: unknown): OutboundRequestFailed {
  if (error instanceof OutboundRequestFailed) return error;
  if (error instanceof AddressNotAllowed) return new OutboundRequestFailed(error.message, 'address');
  const { code } = error as { code?: unknown };
  if (code === 'ERR_INVALID_URL') return new OutboundRequestFailed('the URL is invalid');
  return new OutboundRequestFailed(typeof code === 'string' ? code : 'the connection failed');
}

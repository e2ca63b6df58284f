import type { SigningKeys } from '../client-keys/signing-keys';
import type { Registrations } from '../health-systems/registrations';
import type { OutboundHttp } from '../outbound/outbound-http';

/** One line of `registration test`. */
export interface CheckStep {
  step: string;
  /** `warning`: connecting can work, but differs from what is usual. */
  result: 'ok' | 'warning' | 'failed';
  message: string;
  /** What the operator can do. */
  advice?: string;
}

export interface RegistrationCheckDependencies {
  http: OutboundHttp;
  registrations: Registrations;
  signingKeys: SigningKeys;
  /** The public address of the JWK Set of our client. */
  jwksUrl: string;
}

/** @param reason of an `OutboundRequestFailed`: the code of a network or TLS error, or a sentence */
export function failedRequest(step: string, reason: string): CheckStep {
  return { step, result: 'failed', message: `there is no response: ${reason}`, advice: adviceFor(reason) };
}

function adviceFor(reason: string): string {
  if (/CERT|TLS|SSL|ISSUER|VERIFY/.test(reason))
    return 'the TLS certificate is not valid (expired, self-signed, incomplete chain or another name): the health system must correct it';
  if (/ENOTFOUND|EAI_AGAIN/.test(reason)) return 'the host name does not resolve: check the address in the directory';
  if (/^[A-Z_]+$/.test(reason)) return 'the host does not respond: try again later, and check firewalls';
  return 'only https and public addresses are used outside of SANDBOX_MODE';
}

import type { Logger } from 'pino';
import type { ClientApplications, ClientKeys } from '../clients/client-applications';
import { AssertionRefused } from './assertion-refused';
import { type ClientAssertion, isSignedBy, readAssertion } from './client-assertion';
import type { KeySetAddresses } from './key-set-addresses';
import { type VerificationKey, verificationKeys } from './key-set';
import type { SpentAssertions } from './spent-assertions';

/** Knows clients by `private_key_jwt`: assertions signed by a key that the operator registered for them. */
export class AssertionAuthentication {
  constructor(
    private readonly clients: ClientApplications,
    private readonly addresses: KeySetAddresses,
    private readonly spent: SpentAssertions,
    /** The address of the token endpoint. */
    private readonly audience: string,
    private readonly log: Logger,
  ) {}

  /**
   * The client that signed the assertion, which is spent then.
   * @param expected the client that it has to be, where that was said beside the assertion
   * @throws AssertionRefused
   */
  async clientOf(text: string, expected?: string): Promise<string> {
    const assertion = readAssertion(text, this.audience);
    const { clientId, jti, expiresAt } = assertion;
    if (expected !== undefined && expected !== clientId)
      throw new AssertionRefused('client_id and sub are not the same');
    if (!isSignedBy(await this.#keysFor(assertion), assertion))
      throw new AssertionRefused('it is not signed by a registered key of the client that iss names');
    if (!(await this.spent.spend(clientId, jti, expiresAt))) {
      this.log.warn({ clientId }, 'a client assertion came again and was refused');
      throw new AssertionRefused('its jti has been used before');
    }
    return clientId;
  }

  async #keysFor({ clientId, kid, jku }: ClientAssertion): Promise<VerificationKey[]> {
    const registered = await this.clients.keysOf(clientId);
    if (!registered || !isRegisteredAddress(jku, registered)) return [];
    if (registered.jwks) return verificationKeys(registered.jwks);
    try {
      return await this.addresses.keysAt(registered.jwks_url, kid);
    } catch (error) {
      if (error instanceof AssertionRefused) this.log.warn({ clientId }, error.message);
      throw error;
    }
  }
}

/** A client may name its JWKS URL again, but no other (SMART App Launch 2). */
function isRegisteredAddress(jku: string | undefined, registered: ClientKeys): boolean {
  return jku === undefined || jku === registered.jwks_url;
}

import { createHash } from 'node:crypto';
import { signingAlgorithms } from '@tributary/contracts';
import { type JWTHeaderParameters, type JWTPayload, decodeJwt, errors, jwtVerify } from 'jose';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { ClientApplications, ClientKeys } from '../clients/client-applications';
import { type VerificationKeys, verificationKeys } from './key-set';
import { RemoteKeySetError, type RemoteKeySets } from './remote-key-sets';

/** A client assertion that was refused. The message goes to the client and contains nothing of the assertion. */
export class InvalidAssertion extends Error {
  constructor(
    reason: string,
    /** False when the assertion was not verified: the client is disabled, or its keys could not be read. */
    readonly isVerified = true,
  ) {
    super(reason);
    this.name = 'InvalidAssertion';
  }
}

/** In seconds, as SMART App Launch requires. */
const maxLifetime = 300;
/** How far the clock of a client may be ahead, in seconds. */
const clockTolerance = 5;
const maxLength = 16_384;
const maxJtiLength = 1024;
const notSigned = 'it is not signed by a registered key of the client that iss names';

/**
 * Of two requests with the same jti the second waits for the first and then changes no row. An expired row, which the
 * sweep has not deleted yet, is replaced. $1 client_id, $2 jti hash, $3 expiry in seconds since 1970.
 */
const insertJti = `
  INSERT INTO used_assertion AS used (client_id, jti_sha256, expires_at) VALUES ($1, $2, to_timestamp($3))
  ON CONFLICT (client_id, jti_sha256) DO UPDATE SET expires_at = excluded.expires_at WHERE used.expires_at <= now()`;

/**
 * Client authentication by `private_key_jwt`: a JWT that the client signed with a registered key. Each assertion works
 * once, on all replicas together.
 * @see https://www.rfc-editor.org/rfc/rfc7523#section-3
 * @see https://hl7.org/fhir/smart-app-launch/client-confidential-asymmetric.html
 */
export class ClientAssertions {
  constructor(
    private readonly pool: Pool,
    private readonly clients: ClientApplications,
    private readonly remoteKeySets: RemoteKeySets,
    /** The issuer and the URL of the token endpoint; the assertion must name one of them as its audience. */
    private readonly audiences: readonly [issuer: string, tokenEndpoint: string],
    private readonly log: Logger,
  ) {}

  /**
   * Verifies the assertion and marks its jti as used.
   * @param expectedClientId the `client_id` that was sent beside the assertion
   * @returns the client_id
   * @throws InvalidAssertion
   */
  async verify(assertion: string, expectedClientId?: string): Promise<string> {
    const clientId = unverifiedIssuer(assertion);
    if (expectedClientId !== undefined && expectedClientId !== clientId)
      throw new InvalidAssertion('client_id and iss are not the same');
    const registered = await this.clients.findKeys(clientId);
    const { exp, jti } = await this.#verifyJwt(assertion, clientId, registered);
    if (!(await this.#markAsUsed(clientId, jti, exp))) {
      this.log.warn({ clientId }, 'a client assertion was presented again and refused');
      throw new InvalidAssertion('its jti has been used before');
    }
    return clientId;
  }

  async #verifyJwt(
    assertion: string,
    clientId: string,
    registered: ClientKeys | 'disabled' | undefined,
  ): Promise<{ exp: number; jti: string }> {
    try {
      const { payload } = await jwtVerify(
        assertion,
        async (header, token) => {
          const kid = checkHeader(header, registered === 'disabled' ? undefined : registered?.jwks_url);
          return (await this.#keysOf(clientId, registered, kid)).getKey(header, token);
        },
        {
          algorithms: [...signingAlgorithms],
          audience: [...this.audiences],
          issuer: clientId,
          subject: clientId,
          requiredClaims: ['exp', 'jti'],
          clockTolerance,
        },
      );
      return checkClaims(payload);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed)
        throw new InvalidAssertion(notSigned);
      throw error instanceof errors.JOSEError ? new InvalidAssertion(reasonOf(error, this.audiences)) : error;
    }
  }

  async #keysOf(
    clientId: string,
    registered: ClientKeys | 'disabled' | undefined,
    kid: string,
  ): Promise<VerificationKeys> {
    if (registered === 'disabled') throw new InvalidAssertion(notSigned, false);
    if (!registered) throw new InvalidAssertion(notSigned);
    if (registered.jwks) return verificationKeys(registered.jwks);
    try {
      return await this.remoteKeySets.get(registered.jwks_url, kid);
    } catch (error) {
      if (!(error instanceof RemoteKeySetError)) throw error;
      this.log.warn({ clientId }, error.message);
      throw new InvalidAssertion(error.message, false);
    }
  }

  /** @returns false when the client has used this jti before */
  async #markAsUsed(clientId: string, jti: string, expiresAt: number): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'mark-assertion-as-used',
      text: insertJti,
      values: [clientId, createHash('sha256').update(jti).digest(), expiresAt],
    });
    return rowCount === 1;
  }
}

/** Says what jose refused. It names claims and header parameters, never the values that the client sent. */
function reasonOf(error: errors.JOSEError, audiences: readonly string[]): string {
  if (error instanceof errors.JOSEAlgNotAllowed) return `alg must be ${signingAlgorithms.join(' or ')}`;
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (!(error instanceof errors.JWTClaimValidationFailed)) return 'it is not a JWT that this server can verify';
  const { claim, reason } = error;
  if (reason === 'missing') return `${claim} is missing`;
  if (claim === 'aud') return `aud must be ${audiences.join(' or ')}`;
  if (claim === 'sub') return 'sub must be the client_id, as iss is';
  if (claim === 'nbf' && reason === 'check_failed') return 'nbf is in the future';
  return `${claim} is malformed`;
}

/** Returns the client that an assertion claims to be of; empty when it names none. */
export function claimedClientId(assertion: string): string {
  try {
    return unverifiedIssuer(assertion);
  } catch {
    return '';
  }
}

/** Returns the `iss` of an assertion whose signature has not been verified; it only selects the keys. */
function unverifiedIssuer(assertion: string): string {
  if (assertion.length > maxLength) throw new InvalidAssertion('it is not a signed JWT');
  let payload: JWTPayload;
  try {
    payload = decodeJwt(assertion);
  } catch {
    throw new InvalidAssertion('it is not a signed JWT');
  }
  if (typeof payload.iss !== 'string') throw new InvalidAssertion('iss is missing');
  return payload.iss;
}

/**
 * Checks what jose does not: `kid` is required, `typ` is optional, extensions are not supported.
 * @returns the kid
 */
function checkHeader({ kid, typ, jku, crit }: JWTHeaderParameters, jwksUrl: string | undefined): string {
  if (typeof kid !== 'string' || kid === '') throw new InvalidAssertion('kid is missing');
  if (typ !== undefined && !/^jwt$/i.test(typ)) throw new InvalidAssertion('typ must be JWT');
  if (crit !== undefined) throw new InvalidAssertion('crit is not supported');
  // A client may repeat its registered JWKS URL, but not name another one.
  if (jku !== undefined && jku !== jwksUrl) throw new InvalidAssertion(notSigned);
  return kid;
}

/** The tolerance does not apply to `exp`: after it, the used jti may be forgotten. */
function checkClaims({ exp = 0, jti }: JWTPayload): { exp: number; jti: string } {
  const now = Date.now() / 1000;
  if (exp <= now) throw new InvalidAssertion('it has expired');
  if (exp > now + maxLifetime + clockTolerance) throw new InvalidAssertion('exp must be at most five minutes ahead');
  if (typeof jti !== 'string' || jti === '' || jti.length > maxJtiLength)
    throw new InvalidAssertion(`jti must be a text of 1 to ${maxJtiLength} characters`);
  return { exp, jti };
}

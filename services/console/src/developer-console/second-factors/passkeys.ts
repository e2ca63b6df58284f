import {
  type AuthenticationResponseJSON,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  type WebAuthnCredential,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { HttpError } from '@tributary/service-kit';
import type { Pool, PoolClient } from 'pg';
import type { Session, Sessions } from '../sessions/sessions';

export const maxPasskeys = 10;

interface StoredPasskey {
  id: string;
  credential_id: string;
  public_key: Buffer;
  counter: string;
  transports: string[];
}

/** A passkey that was verified, and is not stored yet. */
export type NewCredential = Pick<WebAuthnCredential, 'id' | 'publicKey' | 'counter' | 'transports'>;

/**
 * The passkeys of accounts (https://www.w3.org/TR/webauthn-3/), as second factors: they need no user verification,
 * because the password was verified. A challenge belongs to a session and works once, for five minutes.
 */
export class Passkeys {
  readonly #origin: string;
  /** The host name, to which browsers bind passkeys. */
  readonly #rpId: string;

  constructor(
    private readonly pool: Pool,
    private readonly sessions: Sessions,
    baseUrl: string,
  ) {
    ({ origin: this.#origin, hostname: this.#rpId } = new URL(baseUrl));
  }

  async creationOptions({ id, developer, email, name }: Session): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const options = await generateRegistrationOptions({
      rpName: 'Tributary',
      rpID: this.#rpId,
      userID: new TextEncoder().encode(developer),
      userName: email,
      userDisplayName: name,
      attestationType: 'none',
      excludeCredentials: await this.#descriptors(developer),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    });
    await this.sessions.setChallenge(id, options.challenge);
    return options;
  }

  async requestOptions({ id, developer }: Session): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const options = await generateAuthenticationOptions({
      rpID: this.#rpId,
      allowCredentials: await this.#descriptors(developer),
      userVerification: 'preferred',
    });
    await this.sessions.setChallenge(id, options.challenge);
    return options;
  }

  /** @throws HttpError 400 when the answer is not the one of the last options */
  async verifyCreation({ id }: Session, response: RegistrationResponseJSON): Promise<NewCredential> {
    const expectedChallenge = await this.sessions.takeChallenge(id);
    if (expectedChallenge === undefined) throw invalidPasskey();
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge,
      expectedOrigin: this.#origin,
      expectedRPID: this.#rpId,
      requireUserVerification: false,
    }).catch(() => ({ registrationInfo: undefined }));
    if (!registrationInfo) throw invalidPasskey();
    return registrationInfo.credential;
  }

  /** @returns whether the answer is that of a passkey of the account to the last options */
  async use({ id, developer }: Session, response: AuthenticationResponseJSON): Promise<boolean> {
    const expectedChallenge = await this.sessions.takeChallenge(id);
    const { rows } = await this.pool.query<StoredPasskey>(
      'SELECT id, credential_id, public_key, counter, transports FROM passkey WHERE account_id = $1 AND credential_id = $2',
      [developer, response.id],
    );
    const [passkey] = rows;
    if (expectedChallenge === undefined || !passkey) return false;
    const { verified, newCounter } = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: this.#origin,
      expectedRPID: this.#rpId,
      requireUserVerification: false,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(passkey.public_key),
        counter: Number(passkey.counter),
      },
    }).then(
      ({ verified: isRight, authenticationInfo }) => ({ verified: isRight, newCounter: authenticationInfo.newCounter }),
      () => ({ verified: false, newCounter: 0 }),
    );
    if (!verified) return false;
    // A counter that does not grow is that of a copy; authenticators without one send 0.
    const { rowCount } = await this.pool.query(
      `UPDATE passkey SET counter = $2, last_used_at = now() WHERE id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0))`,
      [passkey.id, newCounter],
    );
    return rowCount === 1;
  }

  async #descriptors(accountId: string): Promise<{ id: string; transports: string[] }[]> {
    const { rows } = await this.pool.query<{ id: string; transports: string[] }>(
      'SELECT credential_id AS id, transports FROM passkey WHERE account_id = $1 ORDER BY created_at',
      [accountId],
    );
    return rows;
  }
}

/** @throws HttpError 400 when an account has the passkey already */
export async function storePasskey(
  on: PoolClient,
  accountId: string,
  { id, publicKey, counter, transports = [] }: NewCredential,
  name: string,
): Promise<{ id: string; name: string; created_at: string; last_used_at: null }> {
  const { rows } = await on.query<{ id: string; created_at: Date }>(
    `INSERT INTO passkey (account_id, credential_id, public_key, counter, transports, name)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (credential_id) DO NOTHING RETURNING id, created_at`,
    [accountId, id, Buffer.from(publicKey), counter, transports, name],
  );
  const [row] = rows;
  if (!row) throw invalidPasskey();
  return { id: row.id, name, created_at: row.created_at.toISOString(), last_used_at: null };
}

export function invalidPasskey(): HttpError {
  return new HttpError('invalid_passkey', 'the answer of the passkey is wrong, or too late: request new options');
}

import { type KeyObject, createPrivateKey, generateKeyPair, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { type SigningAlgorithm, signingAlgorithms } from '@tributary/contracts';
import { type JWK, SignJWT, calculateJwkThumbprint, exportJWK } from 'jose';
import { type DataSource, type EntityManager, EntitySchema, type Repository } from 'typeorm';
import type { DataKeys } from '../database/data-keys';

/** A key pair with which our client authenticates at token endpoints (`private_key_jwt`). */
export interface SigningKey {
  kid: string;
  algorithm: SigningAlgorithm;
  publicJwk: Record<string, unknown>;
  /** PKCS #8 in DER, sealed. */
  privateKeySealed: Buffer;
  /** Later than its publication, as health systems cache our JWK Set. */
  signsFrom: Date;
  createdAt: Date;
}

export const signingKeyEntity = new EntitySchema<SigningKey>({
  name: 'SigningKey',
  tableName: 'signing_key',
  columns: {
    kid: { type: 'text', primary: true },
    algorithm: { type: 'text' },
    publicJwk: { name: 'public_jwk', type: 'jsonb' },
    privateKeySealed: { name: 'private_key_sealed', type: 'bytea' },
    signsFrom: { name: 'signs_from', type: 'timestamptz' },
    createdAt: { name: 'created_at', type: 'timestamptz' },
  },
});

const dayMs = 24 * 3_600_000;
/** A key is replaced at this age. */
const rotateAfterMs = 90 * dayMs;
/** A new key is published this long before it signs. */
const publishBeforeMs = dayMs;
/** An old key stays published this long after it last signed. */
const publishAfterMs = 7 * dayMs;

const generate = promisify(generateKeyPair);

/**
 * The signing keys of our client: one of each algorithm signs; keys that health systems may still need are published.
 */
export class SigningKeys {
  readonly #signingKeys: Repository<SigningKey>;

  /** @param onPublished receives the ids of keys that were made because of the age of others */
  constructor(
    private readonly database: DataSource,
    private readonly keys: DataKeys,
    private readonly onPublished: (keyIds: readonly string[]) => void = () => undefined,
  ) {
    this.#signingKeys = database.getRepository(signingKeyEntity);
  }

  /** The public keys, as a JWK Set (RFC 7517). */
  async jwkSet(): Promise<{ keys: JWK[] }> {
    await this.maintain();
    const signingKeys = await this.#signingKeys.find({ order: { algorithm: 'DESC', signsFrom: 'DESC' } });
    return {
      keys: signingKeys.map(({ kid, algorithm, publicJwk }) => ({ ...publicJwk, kid, alg: algorithm, use: 'sig' })),
    };
  }

  /** The key that signs now. */
  async current(algorithm: SigningAlgorithm): Promise<{ kid: string; privateKey: KeyObject }> {
    await this.maintain();
    const signingKey = newestSigning(await this.#signingKeys.findBy({ algorithm }), Date.now());
    if (!signingKey) throw new Error(`there is no ${algorithm} key that signs`);
    const { kid, privateKeySealed } = signingKey;
    const der = (await this.keys.of('signing-keys')).open(privateKeySealed, associatedData(kid));
    return { kid, privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
  }

  /**
   * Creates missing keys, publishes the successors of old ones, and deletes expired ones.
   * @param now epoch milliseconds
   */
  async maintain(now = Date.now()): Promise<void> {
    const existing = await this.#signingKeys.find();
    if (signingAlgorithms.every((algorithm) => !needsMaintenance(ofAlgorithm(existing, algorithm), now))) return;
    const published: string[] = [];
    await this.#exclusively(async (manager) => {
      for (const algorithm of signingAlgorithms) {
        const signingKeys = await manager.findBy(signingKeyEntity, { algorithm });
        const signsFrom = signingKeys.length === 0 ? now : now + publishBeforeMs;
        if (needsSuccessor(signingKeys, now)) published.push(await this.#insert(manager, algorithm, now, signsFrom));
        for (const { kid } of expired(signingKeys, now)) await manager.delete(signingKeyEntity, { kid });
      }
    });
    if (published.length > 0) this.onPublished(published);
  }

  /** Publishes the successors of all keys now, whatever their age. @param now epoch milliseconds */
  async rotate(now = Date.now()): Promise<void> {
    await this.#exclusively(async (manager) => {
      for (const algorithm of signingAlgorithms) await this.#insert(manager, algorithm, now, now + publishBeforeMs);
    });
  }

  /**
   * Replaces all keys after one of them has leaked: new ones sign at once, and the others are deleted and no longer
   * published. A health system that has cached our JWK Set refuses our assertions until it reads it again, which most
   * do when they meet an unknown `kid`.
   * @param now epoch milliseconds
   */
  async replace(now = Date.now()): Promise<void> {
    await this.#exclusively(async (manager) => {
      await manager.createQueryBuilder().delete().from(signingKeyEntity).execute();
      for (const algorithm of signingAlgorithms) await this.#insert(manager, algorithm, now, now);
    });
  }

  #exclusively(work: (manager: EntityManager) => Promise<void>): Promise<void> {
    return this.database.transaction(async (manager) => {
      await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended('signing keys', 0))`);
      await work(manager);
    });
  }

  /** The key id is the thumbprint of the public key (RFC 7638). */
  async #insert(manager: EntityManager, algorithm: SigningAlgorithm, now: number, signsFrom: number): Promise<string> {
    const { publicKey, privateKey } =
      algorithm === 'RS384'
        ? await generate('rsa', { modulusLength: 3072 })
        : await generate('ec', { namedCurve: 'P-384' });
    const publicJwk = await exportJWK(publicKey);
    const kid = await calculateJwkThumbprint(publicJwk);
    const privateKeySealed = (await this.keys.of('signing-keys')).seal(
      privateKey.export({ format: 'der', type: 'pkcs8' }),
      associatedData(kid),
    );
    await manager.insert(signingKeyEntity, {
      kid,
      algorithm,
      publicJwk: publicJwk as object,
      privateKeySealed,
      signsFrom: new Date(signsFrom),
      createdAt: new Date(now),
    });
    return kid;
  }
}

function ofAlgorithm(signingKeys: SigningKey[], algorithm: SigningAlgorithm): SigningKey[] {
  return signingKeys.filter((signingKey) => signingKey.algorithm === algorithm);
}

function needsMaintenance(signingKeys: SigningKey[], now: number): boolean {
  return needsSuccessor(signingKeys, now) || expired(signingKeys, now).length > 0;
}

function needsSuccessor(signingKeys: SigningKey[], now: number): boolean {
  return !signingKeys.some(({ createdAt }) => createdAt.getTime() > now - rotateAfterMs);
}

/** Keys whose successor has signed for so long that every assertion they signed has expired. */
function expired(signingKeys: SigningKey[], now: number): SigningKey[] {
  const successor = newestSigning(signingKeys, now - publishAfterMs);
  return successor ? signingKeys.filter(({ signsFrom }) => signsFrom < successor.signsFrom) : [];
}

/** The key that signs at a time in epoch milliseconds. */
function newestSigning(signingKeys: SigningKey[], at: number): SigningKey | undefined {
  return signingKeys
    .filter(({ signsFrom }) => signsFrom.getTime() <= at)
    .sort((one, other) => other.signsFrom.getTime() - one.signsFrom.getTime())[0];
}

function associatedData(kid: string): string {
  return `signing_key ${kid}`;
}

const assertionSeconds = 300;

/**
 * Signs the client assertion of `private_key_jwt` (RFC 7523, section 3).
 * @see https://hl7.org/fhir/smart-app-launch/client-confidential-asymmetric.html
 */
export async function signClientAssertion(
  signingKeys: SigningKeys,
  algorithm: SigningAlgorithm,
  clientId: string,
  tokenEndpoint: string,
): Promise<string> {
  const { kid, privateKey } = await signingKeys.current(algorithm);
  const issuedAt = Math.floor(Date.now() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(tokenEndpoint)
    .setJti(randomUUID())
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + assertionSeconds)
    .sign(privateKey);
}

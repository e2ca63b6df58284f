import { type KeyObject, createHash, createPrivateKey, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { ScopedKeys } from '@tributary/key-vault';
import type { DataSource, EntityManager, Repository } from 'typeorm';
import { type SigningAlgorithm, type SigningKey, signingAlgorithms, signingKeyEntity } from './signing-key';

const day = 24 * 3_600_000;
/** A key is replaced after this long … */
const rotateAfterMs = 90 * day;
/** … its successor is published this long before it signs … */
const publishedBeforeMs = day;
/** … and it stays published this long after it last signed. */
const publishedAfterMs = 7 * day;

const scope = 'signing-keys';
const generate = promisify(generateKeyPair);

/** The keys of our client: one of each algorithm signs, and what health systems may still need is published. */
export class SigningKeys {
  readonly #keys: Repository<SigningKey>;

  constructor(
    private readonly source: DataSource,
    private readonly vault: ScopedKeys,
  ) {
    this.#keys = source.getRepository(signingKeyEntity);
  }

  /** The public keys, as a JWK Set (RFC 7517). */
  async published(): Promise<{ keys: Record<string, unknown>[] }> {
    await this.maintain();
    const keys = await this.#keys.find({ order: { algorithm: 'DESC', signsFrom: 'DESC' } });
    return { keys: keys.map(({ kid, algorithm, publicJwk }) => ({ ...publicJwk, kid, alg: algorithm, use: 'sig' })) };
  }

  /** The key that signs now. */
  async current(algorithm: SigningAlgorithm): Promise<{ kid: string; privateKey: KeyObject }> {
    await this.maintain();
    const key = newestSigning(await this.#keys.findBy({ algorithm }), Date.now());
    if (!key) throw new Error(`there is no ${algorithm} key that signs`);
    const der = (await this.vault.keyFor(scope)).open(key.privateKeySealed, associatedData(key.kid));
    return { kid: key.kid, privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
  }

  /** Makes the keys that are missing, begins the replacement of those that are old, and removes those that nobody needs. */
  async maintain(now = Date.now()): Promise<void> {
    const known = await this.#keys.find();
    if (signingAlgorithms.every((algorithm) => !needsWork(of(known, algorithm), now))) return;
    await this.#exclusively(async (manager) => {
      for (const algorithm of signingAlgorithms) {
        const keys = await manager.findBy(signingKeyEntity, { algorithm });
        if (lacksFresh(keys, now))
          await this.#add(manager, algorithm, now, keys.length === 0 ? now : now + publishedBeforeMs);
        for (const { kid } of outlived(keys, now)) await manager.delete(signingKeyEntity, { kid });
      }
    });
  }

  /** Begins the replacement of every key now, whatever its age: the operator's command. */
  async rotate(now = Date.now()): Promise<void> {
    await this.#exclusively(async (manager) => {
      for (const algorithm of signingAlgorithms) await this.#add(manager, algorithm, now, now + publishedBeforeMs);
    });
  }

  #exclusively(work: (manager: EntityManager) => Promise<void>): Promise<void> {
    return this.source.transaction(async (manager) => {
      await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended('signing keys', 0))`);
      await work(manager);
    });
  }

  async #add(manager: EntityManager, algorithm: SigningAlgorithm, now: number, signsFrom: number): Promise<void> {
    const { publicKey, privateKey } =
      algorithm === 'RS384'
        ? await generate('rsa', { modulusLength: 3072 })
        : await generate('ec', { namedCurve: 'P-384' });
    const publicJwk = publicKey.export({ format: 'jwk' }) as Record<string, unknown>;
    const kid = createHash('sha256').update(JSON.stringify(publicJwk)).digest('base64url').slice(0, 22);
    const privateKeySealed = (await this.vault.keyFor(scope)).seal(
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
  }
}

function of(keys: SigningKey[], algorithm: SigningAlgorithm): SigningKey[] {
  return keys.filter((key) => key.algorithm === algorithm);
}

function needsWork(keys: SigningKey[], now: number): boolean {
  return lacksFresh(keys, now) || outlived(keys, now).length > 0;
}

function lacksFresh(keys: SigningKey[], now: number): boolean {
  return !keys.some(({ createdAt }) => createdAt.getTime() > now - rotateAfterMs);
}

/** Keys whose successor has been signing for so long that nothing they signed is on its way any more. */
function outlived(keys: SigningKey[], now: number): SigningKey[] {
  const successor = newestSigning(keys, now - publishedAfterMs);
  return successor ? keys.filter(({ signsFrom }) => signsFrom < successor.signsFrom) : [];
}

function newestSigning(keys: SigningKey[], at: number): SigningKey | undefined {
  return keys
    .filter(({ signsFrom }) => signsFrom.getTime() <= at)
    .sort((one, other) => other.signsFrom.getTime() - one.signsFrom.getTime())[0];
}

function associatedData(kid: string): string {
  return `signing_key ${kid}`;
}

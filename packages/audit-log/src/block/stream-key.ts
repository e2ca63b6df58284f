import {
  type KeyObject,
  constants,
  createHash,
  createPrivateKey,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
} from 'node:crypto';

export interface WrappedStreamKey {
  /** The id of the sealing key. */
  keyId: string;
  wrapped: Buffer;
}

/**
 * Wraps the key of a stream so that only the holder of the opening key can use it (RSA-OAEP with SHA-256). The id of
 * the stream is the label, so that it cannot be exchanged with that of another stream.
 * @param sealing an RSA public key: SubjectPublicKeyInfo in base64
 */
export function wrapStreamKey(sealing: string, streamId: string, key: Buffer): WrappedStreamKey {
  const publicKey = createPublicKey({ key: Buffer.from(sealing, 'base64'), type: 'spki', format: 'der' });
  return { keyId: keyIdOf(publicKey), wrapped: publicEncrypt({ key: publicKey, ...oaep(streamId) }, key) };
}

/** Opens the wrapped keys of streams. */
export class StreamKeyOpener {
  readonly #keys: ReadonlyMap<string, KeyObject>;

  /** @param opening RSA private keys (PKCS #8 in base64), each of which opens what its public key has sealed */
  constructor(opening: readonly string[]) {
    this.#keys = new Map(
      opening.map((text) => {
        const key = createPrivateKey({ key: Buffer.from(text, 'base64'), type: 'pkcs8', format: 'der' });
        return [keyIdOf(createPublicKey(key)), key];
      }),
    );
  }

  /** @throws Error when there is no opening key for it, or it was changed */
  open({ streamId, keyId, wrapped }: WrappedStreamKey & { streamId: string }): Buffer {
    const key = this.#keys.get(keyId);
    if (!key) throw new Error(`no opening key of the audit log has the id ${keyId}`);
    return privateDecrypt({ key, ...oaep(streamId) }, wrapped);
  }
}

function oaep(streamId: string): { padding: number; oaepHash: string; oaepLabel: Buffer } {
  return { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256', oaepLabel: Buffer.from(streamId) };
}

/** 16 hexadecimal digits of the hash of the public key. */
function keyIdOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('hex').slice(0, 16);
}

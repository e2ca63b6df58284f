import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const [userPresent, hasCredential] = [0x01, 0x40];

/** What a browser sends beside the response itself. */
interface Answer<Response> {
  id: string;
  rawId: string;
  type: 'public-key';
  clientExtensionResults: object;
  response: Response;
}

/** A passkey as a browser and a security key make it (https://www.w3.org/TR/webauthn-3/), with a key of ES256. */
export class VirtualAuthenticator {
  readonly #id = randomBytes(32);
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  counter = 0;

  constructor(private readonly origin: string) {}

  get id(): string {
    return this.#id.toString('base64url');
  }

  /** The answer to `navigator.credentials.create`. */
  create(challenge: string): Answer<{ clientDataJSON: string; attestationObject: string; transports: string[] }> {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.#id.length);
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const publicKey = isoCBOR.encode(
      new Map<number, number | Uint8Array<ArrayBuffer>>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
        [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
      ]),
    );
    const authData = Buffer.concat([
      this.#authenticatorData(userPresent | hasCredential),
      Buffer.alloc(16),
      length,
      this.#id,
      publicKey,
    ]);
    const attestation = isoCBOR.encode(
      new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', new Uint8Array(authData)],
      ]) as Parameters<typeof isoCBOR.encode>[0],
    );
    return this.#answer({
      clientDataJSON: this.#clientData('webauthn.create', challenge).toString('base64url'),
      attestationObject: Buffer.from(attestation).toString('base64url'),
      transports: ['usb'],
    });
  }

  /** The answer to `navigator.credentials.get`. */
  get(challenge: string): Answer<{ clientDataJSON: string; authenticatorData: string; signature: string }> {
    this.counter++;
    const authenticatorData = this.#authenticatorData(userPresent);
    const clientData = this.#clientData('webauthn.get', challenge);
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()]);
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
    });
  }

  #answer<Response>(response: Response): Answer<Response> {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }));
  }

  #authenticatorData(flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const rpId = createHash('sha256').update(new URL(this.origin).hostname).digest();
    return Buffer.concat([rpId, Buffer.of(flags), counter]);
  }
}

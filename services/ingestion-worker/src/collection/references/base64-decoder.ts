import { UnreadableResponse } from '../../health-system/request-failures';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const [space, padding, invalid] = [64, 65, 66];
/** What each byte stands for: six bits, or none. */
const meanings = new Uint8Array(256).fill(invalid);
for (const [bits, char] of [...alphabet].entries()) meanings[char.charCodeAt(0)] = bits;
// Of the usual and of the URL-safe form.
for (const [chars, meaning] of [
  ['+-', 62],
  ['/_', 63],
  [' \t\r\n', space],
  ['=', padding],
] as const)
  for (const char of chars) meanings[char.charCodeAt(0)] = meaning;

/** Decodes base64 in pieces. White space is skipped; padding may be missing. */
export class Base64Decoder {
  #bits = 0;
  /** How many bits are left of the last digits. */
  #bitCount = 0;
  #isPadded = false;

  /** @throws UnreadableResponse */
  push(piece: Buffer): Buffer {
    const decoded = Buffer.allocUnsafe(Math.ceil((piece.length * 3) / 4) + 1);
    let length = 0;
    for (const byte of piece) {
      const meaning = meanings[byte] ?? invalid;
      if (meaning === space) continue;
      if (meaning === padding) {
        this.#isPadded = true;
        continue;
      }
      if (meaning === invalid || this.#isPadded) throw notBase64();
      this.#bits = ((this.#bits << 6) | meaning) & 0xffff;
      this.#bitCount += 6;
      if (this.#bitCount < 8) continue;
      this.#bitCount -= 8;
      decoded[length++] = this.#bits >> this.#bitCount;
    }
    return decoded.subarray(0, length);
  }

  /** @throws UnreadableResponse when a single digit is left */
  end(): void {
    if (this.#bitCount === 6) throw notBase64();
  }
}

function notBase64(): UnreadableResponse {
  return new UnreadableResponse('the content of a Binary is not base64');
}

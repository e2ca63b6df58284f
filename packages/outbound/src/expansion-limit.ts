import { OutboundRequestFailed } from './request-failed';

/** Decoded bytes up to this number may have any ratio to the encoded ones. */
const freeBytes = 1024 * 1024;
/** FHIR in JSON shrinks to a tenth, repetitive pages to a fiftieth; gzip can reach a thousandth. */
const usualMaxExpansion = 200;

/** Recognizes decompression bombs: counts the bytes of a body before and after it is decoded. */
export class ExpansionLimit {
  encoded = 0;
  decoded = 0;

  constructor(private readonly maxExpansion = usualMaxExpansion) {}

  addEncoded(bytes: number): void {
    this.encoded += bytes;
  }

  /** @throws OutboundRequestFailed when the body expands more than `maxExpansion`-fold, beyond one MiB */
  addDecoded(bytes: number): void {
    this.decoded += bytes;
    if (this.decoded > freeBytes && this.decoded > this.maxExpansion * this.encoded)
      throw new OutboundRequestFailed('the response expands too much', 'expansion');
  }
}

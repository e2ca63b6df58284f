const polynomial = 0x82f63b78;

/** CRC-32C (Castagnoli, RFC 3720, appendix B.4) of a few bytes, as an unsigned 32-bit integer. */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

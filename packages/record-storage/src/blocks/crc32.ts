const POLYNOMIAL = 0xedb88320;

/** Product of two polynomials modulo the CRC's, in its reflected form. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 0x80000000; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= b;
    b = b & 1 ? (b >>> 1) ^ POLYNOMIAL : b >>> 1;
  }
  return product >>> 0;
}

/** powers[k] = x^(2^k) */
const powers: number[] = [0x40000000];
for (let k = 1; k < 64; k++) powers.push(multiply(powers[k - 1] as number, powers[k - 1] as number));

/** x^(8 · length): the factor by which appending this many bytes changes a checksum. */
function shiftOf(length: number): number {
  let shift = 0x80000000;
  for (let k = 3; length > 0; k++, length = Math.floor(length / 2)) {
    if (length % 2 === 1) shift = multiply(powers[k] as number, shift);
  }
  return shift;
}

/** The CRC-32 of two pieces of data put together, from the checksum of each and the length of the second. */
export function crc32OfBoth(first: number, second: number, secondLength: number): number {
  return (multiply(shiftOf(secondLength), first) ^ second) >>> 0;
}

import { randomInt } from 'node:crypto';

// 41 bits of milliseconds, then 10 bits of the process and 10 of a counter. The ids increase in the order of writing.
// They are nearly unique among one user's blocks of one type code: a duplicate violates the primary key, and the write
// is repeated.
const processBits = BigInt(randomInt(1024)) << 10n;
let counter = randomInt(1024);

/** A number for a new block. It is generated before the block is sealed, since it is part of the associated data. */
export function newBlockId(): bigint {
  counter = (counter + 1) % 1024;
  return (BigInt(Date.now()) << 20n) | processBits | BigInt(counter);
}

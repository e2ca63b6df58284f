import { randomInt } from 'node:crypto';

// 41 bits of milliseconds, then 10 bits of the process and 10 of a counter. The ids are nearly unique among one user's
// blocks of one type code: a duplicate violates the primary key, and the write is repeated.
/** How many ids one process can give to blocks of the same time. */
export const BLOCKS_PER_TIME = 1024;
const processBits = BigInt(randomInt(1024)) << 10n;
let counter = randomInt(BLOCKS_PER_TIME);

/**
 * A number for a new block. It is generated before the block is sealed, since it is part of the associated data.
 * @param time in epoch milliseconds. Of new versions it is their commit timestamp or later, so that the blocks with
 *   those since a time have ids from `firstBlockIdOf` this time on.
 */
export function newBlockId(time: number): bigint {
  counter = (counter + 1) % BLOCKS_PER_TIME;
  return firstBlockIdOf(time) | processBits | BigInt(counter);
}

/** The lowest id of a block that is written at a time, in epoch milliseconds. */
export function firstBlockIdOf(time: number): bigint {
  return BigInt(time) << 20n;
}

import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(10 * 256);
let used = pool.length;

/**
 * A new id with the layout of a UUID of version 7 (RFC 9562, section 5.7), ordered by time of creation, but of version
 * 8. Clients cannot choose UUIDs of version 8, so an assigned id cannot collide with an id that a client chose.
 * @param now epoch milliseconds
 */
export function newResourceId(now = Date.now()): string {
  if (used >= pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.toString('hex', used, used + 10);
  used += 10;
  const time = now.toString(16).padStart(12, '0');
  const variant = (8 + (Number.parseInt(random[3] as string, 16) & 3)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-8${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}

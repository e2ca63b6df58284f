import { z } from 'zod';
import type { CallContext, InternalHttp } from '../http/internal-http';

const count = z.int().min(0);

/** A version of the key-encryption key of a service, without the key itself. */
const keyVersion = z.object({
  id: z.string(),
  state: z
    .enum(['accepted', 'current', 'waiting', 'retired'])
    .describe('`waiting`: accepted, and used in `used_in_seconds`. `retired`: no longer known.'),
  used_in_seconds: z.number().min(0).optional(),
  keys: count.describe('The stored keys that it has wrapped.'),
  origin: z.string().describe('Where it is kept.'),
});

/** The versions of the key-encryption key of a service, and how many keys each has wrapped. */
export const keysStatus = z.object({
  versions: z.array(keyVersion).describe('Oldest first.'),
  unknown: z
    .array(z.object({ id: z.string(), keys: count }))
    .describe('Versions that have wrapped stored keys, and that the service does not know: it cannot open these keys.'),
  not_noted: count.describe('Keys without a noted version.'),
});
export type KeysStatus = z.infer<typeof keysStatus>;

export const countedKeysStatus = keysStatus
  .extend({ counted_at: z.iso.datetime().describe('When the keys were counted, which is done once a minute at most.') })
  .meta({ id: 'KeysStatus' });
export type CountedKeysStatus = z.infer<typeof countedKeysStatus>;

/** Counting the keys of ten million users takes seconds. */
const timeoutMs = 30_000;

/** Reads the status of the keys of a service, which only operators use in the console. */
export class OperatorKeysClient {
  constructor(private readonly http: InternalHttp) {}

  /** @throws InternalCallError when the service does not respond with 2xx */
  status(context: CallContext = {}): Promise<CountedKeysStatus> {
    const path = '/internal/v1/operator/keys';
    return this.http.call({ method: 'GET', path, response: countedKeysStatus, timeoutMs, ...context });
  }
}

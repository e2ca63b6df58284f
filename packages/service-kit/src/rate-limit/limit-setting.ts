import { z } from 'zod';

/** A token bucket holds `quota` tokens, and gets `quota` new ones in `windowSeconds` seconds, one after the other. */
export interface LimitPolicy {
  readonly quota: number;
  readonly windowSeconds: number;
}

/** The setting of a rate limit: `6000/60` allows 6000 requests in 60 seconds; `off` removes the limit. */
export function limitSetting(byDefault: string) {
  return z
    .string()
    .regex(/^(?:off|[1-9]\d{0,8}\/[1-9]\d{0,5})$/, 'must be <requests>/<seconds>, such as 6000/60, or off')
    .default(byDefault)
    .transform(policyOf);
}

function policyOf(text: string): LimitPolicy | undefined {
  if (text === 'off') return undefined;
  const [quota, windowSeconds] = text.split('/').map(Number);
  return { quota: quota ?? 1, windowSeconds: windowSeconds ?? 1 };
}

import { randomUUID } from 'node:crypto';
import { requestIdPattern } from '@tributary/contracts';

/** The request id that the caller sent in `X-Request-Id`, or a new one where it sent none or an unacceptable one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && requestIdPattern.test(header) ? header : randomUUID();
}

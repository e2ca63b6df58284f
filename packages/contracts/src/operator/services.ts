import { z } from 'zod';
import type { CallContext, InternalHttp } from '../http/internal-http';

/** What `/readyz` of a service answers, with 200 or 503. */
export const readiness = z.object({
  status: z.enum(['ready', 'not ready', 'stopping']),
  version: z.string().optional().describe('Absent: of a version that does not state it yet.'),
  missing: z.array(z.string()).describe('The failed checks.'),
});

/** The state of one replica of a service: the one that has answered. */
export const serviceState = z
  .object({
    service: z.string(),
    status: z.enum([...readiness.shape.status.options, 'unreachable']),
    version: z.string().optional(),
    missing: z.array(z.string()),
  })
  .meta({ id: 'ServiceState' });
export type ServiceState = z.infer<typeof serviceState>;

/** Reads the readiness of a service, which needs no key. */
export class ReadinessClient {
  constructor(private readonly http: InternalHttp) {}

  /** @throws InternalCallError when it does not answer */
  read(context: CallContext = {}): Promise<z.infer<typeof readiness>> {
    const limits = { answers: [503], timeoutMs: 4000 };
    return this.http.call({ method: 'GET', path: '/readyz', response: readiness, ...limits, ...context });
  }
}

import { type CallContext, type InternalHttp, absentWhen } from '../http/internal-http';
import { type HealthSystem, healthSystem, registeredPatterns } from './internal';

/** Typed calls to the internal API of search, the directory of health systems. */
export class DirectoryClient {
  constructor(private readonly http: InternalHttp) {}

  /** The health system, or undefined when the directory does not contain it. */
  findHealthSystem(id: number, context: CallContext = {}): Promise<HealthSystem | undefined> {
    const path = `/internal/v1/health-systems/${id}`;
    const call = this.http.call({ method: 'GET', path, response: healthSystem, ...context });
    return absentWhen(call, ({ status }) => status === 404);
  }
}

/** Typed calls to the part of the internal API of user-management that concerns registrations. */
export class RegistrationsClient {
  constructor(private readonly http: InternalHttp) {}

  /** The patterns of all registrations; compare `registrationPatterns`. */
  async patterns(context: CallContext = {}): Promise<string[]> {
    const { patterns } = await this.http.call({
      method: 'GET',
      path: '/internal/v1/registrations/patterns',
      response: registeredPatterns,
      timeoutMs: 3000, // A transaction of the caller is open during this call.
      ...context,
    });
    return patterns;
  }
}

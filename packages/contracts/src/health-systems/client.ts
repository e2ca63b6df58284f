import { InternalCallError, type InternalHttp } from '../http/internal-http';
import { type HealthSystem, healthSystem, registeredPatterns } from './internal';

/** Typed calls to the internal API of search, the directory of health systems. */
export class DirectoryClient {
  constructor(private readonly http: InternalHttp) {}

  /** The health system, or undefined when the directory does not contain it. */
  async findHealthSystem(
    id: number,
    context: { requestId?: string | undefined } = {},
  ): Promise<HealthSystem | undefined> {
    try {
      return await this.http.call({
        method: 'GET',
        path: `/internal/v1/health-systems/${id}`,
        response: healthSystem,
        idempotent: true,
        requestId: context.requestId,
      });
    } catch (error) {
      if (error instanceof InternalCallError && error.status === 404) return undefined;
      throw error;
    }
  }
}

/** Typed calls to the part of the internal API of user-management that concerns registrations. */
export class RegistrationsClient {
  constructor(private readonly http: InternalHttp) {}

  /** The patterns of all registrations; compare `registrationPatterns`. */
  async patterns(context: { signal?: AbortSignal } = {}): Promise<string[]> {
    const { patterns } = await this.http.call({
      method: 'GET',
      path: '/internal/v1/registrations/patterns',
      response: registeredPatterns,
      idempotent: true,
      ...context,
    });
    return patterns;
  }
}

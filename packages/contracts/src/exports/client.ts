import { z } from 'zod';
import type { CallContext, InternalHttp } from '../http/internal-http';
import type { ExportCompletion } from './internal';

/** Typed calls to the part of the internal API of user-management that concerns events of exports. */
export class ExportEventsClient {
  constructor(private readonly http: InternalHttp) {}

  /**
   * Reports the end of an asynchronous export. It can be repeated until it succeeds.
   * @throws InternalCallError when user-management does not respond with 2xx
   */
  async exportCompleted(completion: ExportCompletion, context: CallContext = {}): Promise<void> {
    await this.http.call({
      method: 'POST',
      path: '/internal/v1/events/export-completed',
      body: completion,
      response: z.unknown(),
      ...context,
    });
  }
}

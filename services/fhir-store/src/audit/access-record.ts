import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import type { AuditTrail, NewAuditEvent } from '@tributary/audit-log';
import { type AuthenticatedUser, ClientGoneError, requestOrigin } from '@tributary/service-kit';
import { asFhirError } from '../fhir-http/error-mapping';
import { PartialBundleError } from '../bundles/partial-bundle-error';
import type { FhirResponse } from '../fhir-http/fhir-response';
import { type Interaction, entitiesOf, kindOf } from './fhir-event';

/**
 * The audit event of one FHIR request. A response is sent after its event is durable. Of requests without a valid token
 * the first ones from an address have an event; further ones, and those beyond a limit, are counted. Nothing is built
 * for a trail that keeps nothing.
 */
export class AccessRecord {
  /** Whose record is accessed, and by which client; absent before the authentication. */
  user: Pick<AuthenticatedUser, 'serviceUserId' | 'clientId' | 'developer'> | undefined;
  #interaction: Interaction | undefined;
  #requestId = '';

  constructor(
    private readonly trail: AuditTrail,
    private readonly request: IncomingMessage,
    private readonly trustedProxies: BlockList,
  ) {}

  /** Called for each interaction with a record, before the authentication. */
  begin(interaction: Interaction, requestId: string): void {
    this.#interaction = interaction;
    this.#requestId = requestId;
  }

  /** @throws AuditUnavailable */
  async succeeded(response: FhirResponse): Promise<void> {
    if (this.trail.keepsNothing) return;
    const event = this.#event(response);
    if (event) await this.trail.record({ ...event, outcome: 'success', status: response.status });
  }

  /**
   * Records a failure. One of the service itself is not waited for: the database may be away, and the response has no
   * data.
   * @param isSafe whether the request changes nothing
   * @returns the error, or the one of the audit log in its place
   */
  async failed(error: unknown, isSafe: boolean): Promise<unknown> {
    if (this.trail.keepsNothing) return error;
    const { status, issues } = asFhirError(error, isSafe);
    const errorCode = issues[0]?.code;
    const outcome = error instanceof ClientGoneError ? 'aborted' : status >= 500 ? 'failed' : 'refused';
    const facts = { outcome, status, ...(errorCode === undefined ? {} : { errorCode }) } as const;
    const event = this.#event(error instanceof PartialBundleError ? error : undefined);
    if (event && status === 429) {
      this.trail.count({ ...event, ...facts, kind: 'limit.hit' });
      return error;
    }
    const recorded = (event ? this.trail.record({ ...event, ...facts }) : this.#recordRefused(facts)).then(
      () => error,
      (unavailable: unknown) => unavailable,
    );
    return outcome === 'refused' ? recorded : error;
  }

  /** Records a request for a record without a valid token. */
  async #recordRefused(facts: Pick<NewAuditEvent, 'outcome' | 'status' | 'errorCode'>): Promise<void> {
    if (!this.#interaction || facts.status !== 401) return;
    const origin = requestOrigin(this.request, this.trustedProxies);
    await this.trail.recordRefused({ kind: 'token.refused', action: 'E', ...facts, agent: {}, ...origin });
  }

  #event(response?: Pick<FhirResponse, 'location' | 'version' | 'access'>): Omit<NewAuditEvent, 'outcome'> | undefined {
    if (!this.#interaction || !this.user) return undefined;
    return {
      ...kindOf(this.#interaction),
      requestId: this.#requestId,
      agent: this.user,
      subject: this.user.serviceUserId,
      ...requestOrigin(this.request, this.trustedProxies),
      entities: entitiesOf(this.#interaction, response),
    };
  }
}

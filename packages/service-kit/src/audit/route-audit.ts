import type { AuditEvent, AuditKind, AuditTrail, NewAuditEvent } from '@tributary/audit-log';
import type { Request } from 'express';
import type { BlockList } from 'node:net';
import { HttpError, RefusedCaller } from '../api/http-error';
import { claimedAgentOf } from './claimed-agent';
import { requestOrigin } from './request-origin';

/** What the audit log records about the calls of a route. */
export interface RouteAudit {
  kind: AuditKind;
  action: AuditEvent['action'];
}

/** A route whose calls have no event of their own, or an API of such routes. */
export interface NoRouteAudit {
  /** Why: which event records the access, or that no data of a user is accessed. */
  none: string;
}

/** What a handler adds to the audit event of its call. */
export interface CallAttributes {
  /** What happened, where it is not what the route names. */
  kind?: AuditKind;
  /** The user whose data it is about; by default the one who calls. */
  subject?: number | undefined;
  /** The client that another service calls for. */
  clientId?: string | undefined;
  /** The developer whom another service calls for. */
  developer?: string | undefined;
  /** The operator for whom the console acts. */
  operator?: string | undefined;
  entities?: NewAuditEvent['entities'];
  /** Of a call that is carried out and answered: a check with a bad result has failed. */
  outcome?: 'success' | 'failed';
}

/** Where the calls of an API are recorded. */
export interface ApiAudit {
  trail: AuditTrail;
  /** The proxies whose `X-Forwarded-For` tells the address of the client. */
  trustedProxies: BlockList;
}

/** The audit event of one call, which the handler adds to. */
export class CallAudit {
  #attributes: CallAttributes = {};

  constructor(
    private readonly audit: ApiAudit,
    private readonly route: RouteAudit,
    private readonly call: { principal: unknown; request: Request; requestId: string },
  ) {}

  add(attributes: CallAttributes): void {
    this.#attributes = { ...this.#attributes, ...attributes };
  }

  /**
   * Records a call that was carried out; the response follows.
   * @throws AuditUnavailable
   */
  async succeeded(status: number): Promise<void> {
    const { outcome = 'success' } = this.#attributes;
    await this.audit.trail.record({ ...this.#event(), outcome, status });
  }

  /**
   * Records a call that failed. One that failed within the service is not waited for: the database may be away, and the
   * response has no data. Refusals of callers who are not known can be many.
   * @throws AuditUnavailable
   */
  async failed({ status, errorCode }: HttpError): Promise<void> {
    const outcome = status >= 500 ? 'failed' : 'refused';
    const event = { ...this.#event(), outcome, status, errorCode } as const;
    if (outcome === 'failed') this.audit.trail.record(event).catch(() => undefined);
    else if (this.call.principal === undefined) await this.audit.trail.recordRefused(event);
    else await this.audit.trail.record(event);
  }

  /** Records a call whose client has disconnected. What it has asked for may have been done. */
  aborted(): void {
    this.audit.trail.record({ ...this.#event(), outcome: 'aborted' }).catch(() => undefined);
  }

  #event(): Omit<NewAuditEvent, 'outcome'> {
    const { principal, request, requestId } = this.call;
    const { kind = this.route.kind, clientId, developer, operator, entities } = this.#attributes;
    const agent = {
      ...agentOf(principal),
      ...(clientId === undefined ? {} : { clientId }),
      ...(developer === undefined ? {} : { developer }),
      ...(operator === undefined ? {} : { operator }),
    };
    const subject = this.#attributes.subject ?? agent.serviceUserId;
    return {
      ...this.route,
      kind,
      requestId,
      agent,
      ...requestOrigin(request, this.audit.trustedProxies),
      ...(subject === undefined ? {} : { subject }),
      ...(entities ? { entities } : {}),
    };
  }
}

/**
 * Records a call that was refused and has no event of its own: its credentials are wrong or open another route, its
 * caller may not send it, or a limit is exceeded. Anyone can send many of them.
 * @throws AuditUnavailable
 */
export async function recordRefused(
  { trail, trustedProxies }: ApiAudit,
  error: unknown,
  request: Request,
): Promise<void> {
  if (!(error instanceof HttpError)) return;
  const { status, errorCode } = error;
  const refused = {
    action: 'E',
    outcome: 'refused',
    status,
    errorCode,
    agent: error instanceof RefusedCaller ? agentOf(error.caller) : claimedAgentOf(request),
    ...requestOrigin(request, trustedProxies),
  } as const;
  if (status === 429) trail.count({ ...refused, kind: 'limit.hit' });
  else if (status === 401 || errorCode === 'caller_not_allowed' || error instanceof RefusedCaller)
    await trail.recordRefused({ ...refused, kind: 'token.refused' });
}

/**
 * The agent of a principal: the name of a service, an operator, a user of a client, or a client, for which a developer
 * may act.
 */
function agentOf(principal: unknown): NewAuditEvent['agent'] {
  if (typeof principal === 'string') return { service: principal };
  if (typeof principal !== 'object' || principal === null) return {};
  const { serviceUserId, clientId, client_id: ownId, developer, operator } = principal as Record<string, unknown>;
  const client = typeof clientId === 'string' ? clientId : ownId;
  return {
    ...(typeof client === 'string' ? { clientId: client } : {}),
    ...(typeof serviceUserId === 'number' ? { serviceUserId } : {}),
    ...(typeof developer === 'string' ? { developer } : {}),
    ...(typeof operator === 'string' ? { operator } : {}),
  };
}

import { z } from 'zod';
import { type CallContext, type InternalHttp, absentWhen } from '../http/internal-http';
import { healthSystemEndpoint } from '../health-systems/internal';
import { fhirVersion } from '../releases';
import { operatorId } from './common';
import { type CollectionQueueState, collectionQueueState } from './queue';

/** How many users a client has. */
export const clientUserCount = z.object({ users: z.int().min(0) }).meta({ id: 'ClientUserCount' });
export type ClientUserCount = z.infer<typeof clientUserCount>;

/** A registration of our client at health systems, without its secret. */
const listedRegistration = z.object({
  matches: z.enum(['fhir_base', 'host']),
  pattern: z.string().describe('A FHIR base URL; or a host, `host:port`, or `*.domain`.'),
  client_id: z.string(),
  auth_method: z.string(),
  redirect_uri: z.string(),
  scopes: z.string().optional(),
});
export type ListedRegistration = z.infer<typeof listedRegistration>;
export const registrationList = z.object({ entry: z.array(listedRegistration) }).meta({ id: 'RegistrationList' });

/** A health system of the directory by its id, or one by its FHIR base URL. */
export const registrationCheck = z.object({
  health_system: z.string().min(1).max(2000).describe('The id in the directory, or a FHIR base URL.'),
  release: fhirVersion.default('r4').describe('Of a FHIR base URL.'),
});
export const operatorRegistrationCheck = registrationCheck.extend({ operator: operatorId });

/** The result of one step of connecting. */
export const registrationCheckStep = healthSystemEndpoint
  .extend({
    step: z.string(),
    result: z
      .enum(['ok', 'warning', 'failed'])
      .describe('`warning`: connecting can work, but differs from what is usual.'),
    message: z.string(),
    advice: z.string().optional().describe('What the operator can do.'),
  })
  .meta({ id: 'RegistrationCheckStep' });
export type RegistrationCheckStep = z.infer<typeof registrationCheckStep>;

const counts = z.record(z.string(), z.int());
/** More than a year, so that a month can be compared with the same one of the year before. */
export const maxOutcomeDays = 400;
/** The list of an operator names at most this many health systems. */
export const maxListedOutcomes = 200;
/** The outcomes of a health system in a period. */
const healthSystemOutcomes = z.object({
  health_system_id: z.string(),
  health_system_name: z.string(),
  connects: z.object({ started: z.int(), connected: z.int(), failed: counts }),
  refresh_failures: counts,
  collections: counts.describe('By `complete`, `incomplete` or an error code.'),
  types_refused: counts,
});
export type HealthSystemOutcomes = z.infer<typeof healthSystemOutcomes>;
export const outcomeQuery = z.object({
  days: z
    .string()
    .regex(/^[1-9]\d{0,2}$/)
    .refine((days) => Number(days) <= maxOutcomeDays)
    .default('7')
    .describe('The period: today (UTC) and the days before it.'),
});
export const outcomeList = z
  .object({
    days: z.int(),
    entry: z
      .array(healthSystemOutcomes)
      .max(maxListedOutcomes)
      .describe(`Those with the most failed connects first: at most ${maxListedOutcomes}.`),
    other_health_systems: z.int().optional().describe('How many more health systems there are; absent: none.'),
  })
  .meta({ id: 'OutcomeList' });
export type OutcomeList = z.infer<typeof outcomeList>;

const pausedHost = z.object({
  host: z.string(),
  reason: z.string(),
  paused_at: z.iso.datetime(),
  waiting: z.int().describe('Collections that wait until the host is resumed.'),
});
export type PausedHost = z.infer<typeof pausedHost>;
export const pausedHostList = z.object({ entry: z.array(pausedHost) }).meta({ id: 'PausedHostList' });
/** A host (host or host:port), or the id of a health system in the directory. */
export const namedHost = z
  .string()
  .max(260)
  .refine((text) => /^[A-Za-z0-9.[\]:-]+$/.test(text) && URL.canParse(`https://${text}`), {
    error: 'must be a host, host:port or the id of a health system',
  });
export const pauseReason = z
  .string()
  .trim()
  .regex(/^\P{Cc}{1,200}$/u, 'must have 1 to 200 characters');
export const hostPause = z.object({ host: namedHost, reason: pauseReason });
export const operatorHostPause = hostPause.extend({ operator: operatorId });
export const hostResume = z.object({ host: namedHost });
export const operatorHostResume = hostResume.extend({ operator: operatorId });
/** The hosts that were changed. */
export const changedHosts = z.object({ hosts: z.array(z.string()) }).meta({ id: 'ChangedHosts' });
export type ChangedHosts = z.infer<typeof changedHosts>;

/**
 * Typed calls to the part of the internal API of user-management that operators use in the console.
 * @throws InternalCallError from every method when user-management does not respond with 2xx
 */
export class OperatorConnectionsClient {
  constructor(private readonly http: InternalHttp) {}

  countUsers(clientId: string, context: CallContext = {}): Promise<ClientUserCount> {
    const path = `/internal/v1/operator/clients/${encodeURIComponent(clientId)}/users`;
    return this.http.call({ method: 'GET', path, response: clientUserCount, ...context });
  }

  registrations(context: CallContext = {}): Promise<z.infer<typeof registrationList>> {
    const path = '/internal/v1/operator/registrations';
    return this.http.call({ method: 'GET', path, response: registrationList, ...context });
  }

  /** Goes through the steps of connecting to a health system, each of which is a result. */
  checkRegistration(
    check: z.input<typeof operatorRegistrationCheck>,
    context: CallContext = {},
  ): AsyncGenerator<RegistrationCheckStep> {
    return this.http.lines({
      method: 'POST',
      path: '/internal/v1/operator/registration-checks',
      body: check,
      response: registrationCheckStep,
      timeoutMs: 300_000,
      ...context,
    });
  }

  outcomes(days: string, context: CallContext = {}): Promise<OutcomeList> {
    const path = '/internal/v1/operator/outcomes';
    return this.http.call({ method: 'GET', path, query: { days }, response: outcomeList, ...context });
  }

  pausedHosts(context: CallContext = {}): Promise<z.infer<typeof pausedHostList>> {
    const path = '/internal/v1/operator/paused-hosts';
    return this.http.call({ method: 'GET', path, response: pausedHostList, ...context });
  }

  pause(pause: z.infer<typeof operatorHostPause>, context: CallContext = {}): Promise<ChangedHosts> {
    const path = '/internal/v1/operator/paused-hosts';
    return this.http.call({ method: 'POST', path, body: pause, response: changedHosts, ...context });
  }

  queue(context: CallContext = {}): Promise<CollectionQueueState> {
    const path = '/internal/v1/operator/queue';
    return this.http.call({ method: 'GET', path, response: collectionQueueState, ...context });
  }

  /** Undefined when none of the hosts is paused. */
  async resume(
    resume: z.infer<typeof operatorHostResume>,
    context: CallContext = {},
  ): Promise<ChangedHosts | undefined> {
    const path = '/internal/v1/operator/paused-hosts/resume';
    const call = this.http.call({ method: 'POST', path, body: resume, response: changedHosts, ...context });
    return absentWhen(call, ({ errorCode }) => errorCode === 'not_found');
  }
}

import type { Logger } from 'pino';
import { checkState } from './authorization-response';
import type { CallbackQuery } from './connect-request';
import { type FinishLegDependencies, finishLeg } from './finish-authorization';
import type { Journey, JourneyError, Leg } from './connect-session';
import { LegFailed } from './authorization-failed';
import { type Step, type StepDependencies, nextStep } from './next-redirect';

export type FinishConnectDependencies = StepDependencies & FinishLegDependencies;

/**
 * Takes a user back from a health system.
 * @throws HttpError 400 when this browser began no such authorization
 */
export async function finishConnect(
  on: FinishConnectDependencies,
  answer: CallbackQuery,
  cookies: string | undefined,
  requestId: string,
  log: Logger,
): Promise<Step> {
  const attempt = await checkState(on.attempts, on.cookie, answer.state, cookies);
  const { journey, leg } = attempt;
  const own = log.child({ requestId, healthSystemId: journey.healthSystem.id });
  let next: Journey;
  try {
    await finishLeg(on, attempt, answer, own);
    next = { ...journey, connected: true };
  } catch (error) {
    if (!(error instanceof LegFailed)) throw error;
    own.warn({ reason: error.message, error: error.error }, 'an authorization came to nothing');
    next = afterFailure(journey, leg, error);
  }
  const step = await nextStep(on, next);
  return { ...step, cookies: [on.cookie.clear(answer.state ?? ''), ...step.cookies] };
}

const endsAll: ReadonlySet<JourneyError> = new Set(['access_denied', 'user_inactive']);

/**
 * A refused wildcard is asked for again type by type. Who has no record in the newest release may have one in the others. A user who
 * said no is not asked again.
 */
function afterFailure(journey: Journey, leg: Leg, { error, remedy }: LegFailed): Journey {
  if (remedy === 'scopes by type' && leg.scopeForm === 'wildcard')
    return { ...journey, remaining: [{ ...leg, scopeForm: 'perType' }, ...journey.remaining] };
  const firstError = journey.firstError ?? error;
  const [, ...otherReleases] = leg.endpoints;
  if (remedy === 'another release' && otherReleases.length > 0)
    return { ...journey, firstError, remaining: [{ ...leg, endpoints: otherReleases }, ...journey.remaining] };
  return { ...journey, firstError, remaining: endsAll.has(error) ? [] : journey.remaining };
}

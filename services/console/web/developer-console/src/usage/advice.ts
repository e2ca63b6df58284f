import type { LimitUsage } from '@tributary/contracts';
import { numberText, units } from '../text';

/** What to do about limits of what exists, by their names. */
const advice: Readonly<Record<string, string>> = {
  'webhook-endpoints':
    'Further endpoints are refused. Delete one that is not needed; an endpoint can hear several events.',
  'unfinished-exports':
    'Further exports get 429 too_many_exports. Wait until one is finished, or delete one whose files are not needed.',
  'organisation-clients':
    'Further applications are refused. Delete one that is not needed, or ask the operator of this service for another organisation.',
};

/** What a developer does when a limit is used up. */
export function adviceOf({ name }: Pick<LimitUsage, 'name'>): string {
  return (
    advice[name] ??
    'Requests get 429 with the header Retry-After: wait so many seconds, then repeat the request. Send fewer requests at once, and keep what was answered instead of asking again. If that is not enough, ask the operator of this service for more.'
  );
}

/** Such as "60 in 10 minutes". */
export function allowanceText({ quota, window_seconds: seconds }: LimitUsage): string {
  if (seconds === null) return `${numberText(quota)} at a time`;
  const unit = units.find((each) => seconds % each.seconds === 0) ?? units[3];
  const count = seconds / unit.seconds;
  const article = unit.name === 'hour' ? 'an' : 'a';
  return `${numberText(quota)} in ${count === 1 ? `${article} ${unit.name}` : `${count} ${unit.name}s`}`;
}

import { maxConsentDays } from '@tributary/contracts';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** What the users of a client are asked to agree to when they connect. Absent: unchanged, or without a limit. */
export interface ConsentOptions {
  /** Without a limit, a consent lasts until the user ends it. */
  consentDays?: number | 'unlimited';
}

/** Adds the options for the consent of users. */
export function withConsentOptions(command: Command): Command {
  return command.addOption(
    new Option(
      '--consent-days <days>',
      'for how long users consent to a connection: a number of days, or unlimited; it applies to later connects',
    ).argParser(daysArgument),
  );
}

function daysArgument(text: string): number | 'unlimited' {
  if (text === 'unlimited') return text;
  const days = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > maxConsentDays)
    throw new InvalidArgumentError(`It must be a number of days from 1 to ${maxConsentDays}, or unlimited.`);
  return days;
}

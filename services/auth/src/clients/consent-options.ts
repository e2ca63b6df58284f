import { maxConsentDays, resourceTypeList } from '@tributary/contracts';
import { isResourceType, releases } from '@tributary/fhir-definitions';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** What the users of a client are asked to agree to when they connect. Absent: unchanged, or without a limit. */
export interface ConsentOptions {
  /** Resource types, sorted, with Patient. */
  types?: string[] | 'all';
  /** Without a limit, a consent lasts until the user ends it. */
  consentDays?: number | 'unlimited';
  /** How many people the record of a user may hold. */
  people?: 'one' | 'several';
}

/** Adds the options for the consent of users. */
export function withConsentOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--types <types>',
        'the resource types that are requested from health systems, separated by commas, or all; Patient is always among them',
      ).argParser(typesArgument),
    )
    .addOption(
      new Option(
        '--consent-days <days>',
        'for how long users consent to a connection: a number of days, unlimited, or 0 to collect once, without a refresh token; it applies to later connects',
      ).argParser(daysArgument),
    )
    .addOption(
      new Option(
        '--people <people>',
        'one: a Patient who is another person than those of the record is refused unless the user confirms it; several: it is connected',
      ).choices(['one', 'several']),
    );
}

function typesArgument(text: string): string[] | 'all' {
  if (text === 'all') return text;
  const types = resourceTypeList.safeParse(text).data;
  const unknown = types?.find((type) => !releases.some((release) => isResourceType(release, type)));
  if (!types || unknown !== undefined)
    throw new InvalidArgumentError(
      unknown === undefined
        ? 'It must be resource types, separated by commas, or all.'
        : `FHIR has no resource type ${unknown}.`,
    );
  return [...new Set(['Patient', ...types])].sort();
}

function daysArgument(text: string): number | 'unlimited' {
  if (text === 'unlimited') return text;
  const days = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(days <= maxConsentDays))
    throw new InvalidArgumentError(`It must be a number of days from 0 to ${maxConsentDays}, or unlimited.`);
  return days;
}

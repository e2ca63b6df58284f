import { maxConsentDays, resourceTypeList, visibleText } from '@tributary/contracts';
import { isResourceType, releases } from '@tributary/fhir-definitions';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { redirectUriProblem } from './redirect-uri';

/** What can be changed of a client. Absent: unchanged, or the default. */
export interface ClientSettings {
  name?: string | undefined;
  redirectUris?: string[] | undefined;
  /** The resource types that users are asked to agree to, sorted, with Patient. */
  types?: string[] | 'all' | undefined;
  /** Without a limit, a consent lasts until the user ends it. */
  consentDays?: number | 'unlimited' | undefined;
  /** How many people the record of a user may hold. */
  people?: 'one' | 'several' | undefined;
}

/** Patients read it on pages. */
export const clientName = visibleText(200);

export const clientRedirectUri = z
  .string()
  .max(2048)
  .superRefine((uri, context) => {
    const problem = redirectUriProblem(uri);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

/** The longest time for which the secret before the last one works: 30 days. */
export const maxOverlapHours = 720;
export const overlapHours = z.int().min(0).max(maxOverlapHours);

/** Redirect URIs of a client. */
export const maxRedirectUris = 100;

/** The options by which commands take the settings. */
export interface SettingOptions extends Omit<ClientSettings, 'redirectUris'> {
  redirectUri?: string[];
}

/**
 * Adds the options that `create` and `set` have.
 * @param isNew whether a name and a redirect URI are required
 */
export function withSettingOptions(command: Command, isNew: boolean): Command {
  return command
    .addOption(
      new Option('--name <name>', 'its display name').argParser(validated(clientName)).makeOptionMandatory(isNew),
    )
    .addOption(
      new Option(
        '--redirect-uri <uri>',
        isNew ? 'its redirect URI; can be repeated' : 'instead of all its redirect URIs; can be repeated',
      )
        .argParser(redirectUriArgument)
        .makeOptionMandatory(isNew),
    )
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

function redirectUriArgument(text: string, earlier: string[] = []): string[] {
  const uri = validated(clientRedirectUri)(text);
  if (earlier.length === maxRedirectUris) throw new InvalidArgumentError(`There can be ${maxRedirectUris} at most.`);
  return earlier.includes(uri) ? earlier : [...earlier, uri];
}

function validated(schema: z.ZodType<string>): (text: string) => string {
  return (text) => {
    const { data, error } = schema.safeParse(text);
    if (data === undefined) throw new InvalidArgumentError(`It ${error?.issues[0]?.message}.`);
    return data;
  };
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

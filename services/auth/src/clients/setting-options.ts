import { maxConsentDays, resourceTypeList } from '@tributary/contracts';
import { isResourceType, releases } from '@tributary/fhir-definitions';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import { type ClientSettings, clientName, clientRedirectUri, maxRedirectUris } from './client-settings';

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

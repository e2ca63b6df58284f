import { readFileSync } from 'node:fs';
import { maxConsentDays, organisationId, resourceTypeList } from '@tributary/contracts';
import { argument, fileError } from '@tributary/service-kit';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import {
  type ClientSettings,
  clientFrameOrigin,
  clientName,
  clientRedirectUri,
  isKnownType,
  maxFrameOrigins,
  maxRedirectUris,
  withPatient,
} from './client-settings';
import { attempt, standardInput } from './key-options';
import { logoOf } from './logo';

/** The options by which commands take the settings. */
export interface SettingOptions extends Omit<
  ClientSettings,
  'redirectUris' | 'frameOrigins' | 'organisation' | 'jwks' | 'jwksUrl'
> {
  redirectUri?: string[];
  frameOrigin?: string[] | 'none';
  /** False: none. */
  organisation?: string | false;
}

/** The settings that the options name. */
export function settingsOfOptions({
  redirectUri: redirectUris,
  frameOrigin: frameOrigins,
  organisation,
  ...others
}: SettingOptions): ClientSettings {
  return { redirectUris, frameOrigins, organisation: organisation === false ? 'none' : organisation, ...others };
}

/**
 * Adds the options that `create` and `set` have.
 * @param isNew whether a name and a redirect URI are required
 * @param sandboxMode allows frame origins on http at localhost
 */
export function withSettingOptions(
  command: Command,
  { isNew, sandboxMode }: { isNew: boolean; sandboxMode: boolean },
): Command {
  command
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
    )
    .addOption(
      new Option(
        '--logo <file>',
        'the image that pages show beside its name: a PNG, JPEG, WebP or SVG file of 64 kB at most, - for standard input, or none',
      ).argParser(logoArgument),
    )
    .addOption(
      new Option(
        '--frame-origin <origin>',
        'an origin whose pages may show the connect pages in a frame, instead of all before, or none; can be repeated',
      ).argParser((text, earlier?: string[] | 'none') => frameOriginArgument(text, earlier, sandboxMode)),
    )
    .addOption(
      new Option(
        '--organisation <id>',
        'the organisation whose developers manage it in the console; it can have 100 clients',
      ).argParser(organisationArgument),
    );
  // After the option with a value, which would be true without it otherwise.
  return isNew ? command : command.option('--no-organisation', 'it belongs to no organisation any more');
}

function redirectUriArgument(text: string, earlier: string[] = []): string[] {
  return extended(earlier, validated(clientRedirectUri)(text), maxRedirectUris);
}

function frameOriginArgument(
  text: string,
  earlier: string[] | 'none' | undefined,
  sandboxMode: boolean,
): string[] | 'none' {
  if (earlier === 'none' || (text === 'none' && earlier)) throw new InvalidArgumentError('It is none or origins.');
  return text === 'none'
    ? text
    : extended(earlier ?? [], validated(clientFrameOrigin(sandboxMode))(text), maxFrameOrigins);
}

const organisationArgument = argument(
  (text) => organisationId.safeParse(text).data,
  'It must be the id of an organisation.',
);

function extended(earlier: string[], value: string, max: number): string[] {
  if (earlier.length === max) throw new InvalidArgumentError(`There can be ${max} at most.`);
  return earlier.includes(value) ? earlier : [...earlier, value];
}

function logoArgument(file: string): ClientSettings['logo'] {
  if (file === 'none') return file;
  return attempt(() => (file === '-' ? logoOf(readFileSync(standardInput)) : logoOf(bytesOf(file), file)));
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw fileError(file, error);
  }
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
  const unknown = types?.find((type) => !isKnownType(type));
  if (!types || unknown !== undefined)
    throw new InvalidArgumentError(
      unknown === undefined
        ? 'It must be resource types, separated by commas, or all.'
        : `FHIR has no resource type ${unknown}.`,
    );
  return withPatient(types);
}

function daysArgument(text: string): number | 'unlimited' {
  if (text === 'unlimited') return text;
  const days = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(days <= maxConsentDays))
    throw new InvalidArgumentError(`It must be a number of days from 0 to ${maxConsentDays}, or unlimited.`);
  return days;
}

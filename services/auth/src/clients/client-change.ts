import { clientApplication } from '@tributary/contracts';
import { z } from 'zod';
import {
  type ClientSettings,
  clientFrameOrigin,
  clientKeySet,
  clientKeySetUrl,
  clientLogo,
  clientName,
  clientRedirectUris,
  isKnownType,
  maxFrameOrigins,
  maxTypes,
  withPatient,
} from './client-settings';

const { people, consent_days: consentDays } = clientApplication.shape;

/**
 * What a client changes of itself; null removes a setting.
 * @param sandboxMode allows http on localhost, and private addresses of key sets
 */
export function clientChange(sandboxMode: boolean) {
  return z
    .strictObject({
      name: clientName.optional().describe('The display name. Patients read it on pages.'),
      redirect_uris: clientRedirectUris
        .optional()
        .describe('In place of those before. Connect sessions in progress end at the address with which they began.'),
      people: people
        .unwrap()
        .optional()
        .describe(people.description ?? ''),
      requested_types: z
        .array(z.string().refine(isKnownType, 'is no resource type of FHIR'))
        .min(1)
        .max(maxTypes)
        .nullable()
        .optional()
        .describe(
          'The resource types that are requested from health systems; Patient is always among them; null: all. It applies to later connects.',
        ),
      consent_days: consentDays
        .unwrap()
        .nullable()
        .optional()
        .describe(
          'For how long a user consents to a connection, in days of 24 hours; 0: once, without a refresh token; null: until the user ends it. It applies to later connects.',
        ),
      logo: clientLogo
        .nullable()
        .optional()
        .describe(
          'The image that pages show beside the name: a PNG, JPEG, WebP or SVG image of 64 kB at most as a data: URL in base64; null: none.',
        ),
      frame_origins: z
        .array(clientFrameOrigin(sandboxMode))
        .min(1)
        .max(maxFrameOrigins)
        .nullable()
        .optional()
        .describe(
          'The origins whose pages may show the connect pages in a frame, in place of those before; null: none.',
        ),
      jwks: clientKeySet
        .nullable()
        .optional()
        .describe('The public keys by which the client signs its requests for tokens; null: none.'),
      jwks_url: clientKeySetUrl(sandboxMode)
        .nullable()
        .optional()
        .describe('The address at which the client publishes these keys, instead of `jwks`; null: none.'),
    })
    .refine(({ jwks, jwks_url }) => !jwks || !jwks_url, {
      path: ['jwks_url'],
      message: 'must not be given beside jwks',
    })
    .meta({ id: 'ClientChange' });
}
export type ClientChange = z.output<ReturnType<typeof clientChange>>;

/** The names of what a client can change of itself. */
export const changeableFields = Object.keys(clientChange(false).shape);

export function settingsOfChange(change: ClientChange): ClientSettings {
  const { requested_types: types, consent_days: days, frame_origins: frameOrigins } = change;
  return {
    name: change.name,
    redirectUris: change.redirect_uris,
    people: change.people,
    types: types === null ? 'all' : types && withPatient(types),
    consentDays: days === null ? 'unlimited' : days,
    logo: orNone(change.logo),
    frameOrigins: orNone(frameOrigins),
    jwks: orNone(change.jwks),
    jwksUrl: orNone(change.jwks_url),
  };
}

function orNone<T>(value: T | null): T | 'none' {
  return value === null ? 'none' : value;
}

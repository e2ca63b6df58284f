import { z } from 'zod';
import { healthSystemId, offset } from '../identifiers';
import { fhirVersion } from '../releases';

/** The number of health systems per page. */
export const searchPageSize = 20;

const offsetOfSearch = offset
  .describe('The index of the first result; 0 by default. Past the end the response has no entries.')
  .meta({ documented: { type: 'integer', minimum: 0, default: 0 } });

const query = z
  .union([z.string(), z.number().transform(String)], 'must be text')
  .refine((text) => text.length <= 1000, 'must have at most 1,000 characters')
  .describe(
    'Free text search in name, alias and address that ignores accents, case and small typos. Without it the directory is listed by name.',
  )
  .meta({ documented: { type: 'string', maxLength: 1000, examples: ['hospital'] } });

const connectable = z
  .union([z.boolean(), z.enum(['true', 'false'])], 'must be true or false')
  .transform((value) => value === true || value === 'true')
  .describe(
    'Whether to return only health systems that a user can connect to at present; false by default: the others come last.',
  )
  .meta({ documented: { type: 'boolean', default: false } });

/** A place on the earth in degrees (WGS 84). */
const position = z.strictObject({
  latitude: z
    .number()
    .min(-90)
    .max(90)
    .meta({ examples: [39.8] }),
  longitude: z
    .number()
    .min(-180)
    .max(180)
    .meta({ examples: [-89.6] }),
});
export type Position = z.infer<typeof position>;

const parameters = { offset: offsetOfSearch.nullish(), query: query.nullish(), connectable: connectable.nullish() };

/** Parameters of the search in the query string, where no position belongs: addresses are kept in logs. */
export const healthSystemSearchQuery = z.object(parameters);

/** Parameters of the search in a form or JSON body. */
export const healthSystemSearch = z
  .object({
    ...parameters,
    near: position
      .nullish()
      .describe(
        'Where the user is, in degrees; in a JSON body only. Results have their distance, and the nearer one comes first among those that match about equally well; without a query all by distance. One decimal (about 10 km) is enough.',
      ),
  })
  .meta({ id: 'HealthSystemSearch' });

/** A search result. */
export const healthSystemEntry = z
  .object({
    id: healthSystemId.describe('The id of the health system, for the connect URL.'),
    name: z.string().meta({ examples: ['Example Hospital'] }),
    address: z
      .string()
      .describe('The postal address as text; empty when the health system publishes none.')
      .meta({ examples: ['1 Main Street, Springfield, IL 62701'] }),
    fhirVersions: z.array(fhirVersion).describe('The FHIR releases it offers.'),
    connectable: z
      .boolean()
      .describe('Whether this service is registered at the health system, so that a user can connect to it.'),
    logo: z.string().optional().describe('An https URL, or the image as a data: URL.'),
    distance_km: z
      .int()
      .nonnegative()
      .optional()
      .describe(
        'The distance from `near` to the nearest of its addresses, in kilometers, by the center of the area of its ZIP code; absent without `near`, and where no address has a known ZIP code.',
      ),
  })
  .meta({ id: 'HealthSystem' });
export type HealthSystemEntry = z.infer<typeof healthSystemEntry>;

export const healthSystemSearchResponse = z
  .object({
    success: z.literal(true),
    total: z
      .int()
      .nonnegative()
      .meta({ examples: [1] }),
    offset: z.int().nonnegative(),
    limit: z.literal(searchPageSize),
    entry: z.array(healthSystemEntry).max(searchPageSize),
  })
  .meta({ id: 'HealthSystemList' });

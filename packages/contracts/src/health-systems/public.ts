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

/** Parameters of the search, in the query string or in a form or JSON body. */
export const healthSystemSearch = z
  .object({
    offset: offsetOfSearch.nullish(),
    query: query.nullish(),
    connectable: connectable.nullish(),
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

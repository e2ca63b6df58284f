import { z } from 'zod';
import { healthSystemId } from '../identifiers';
import { fhirVersion } from '../releases';

/** How many health systems one answer holds (specification, "Limits"). */
export const searchPageSize = 20;

const notAnOffset = 'must be a non-negative integer';

/** Any non-negative integer, as text or number. What no directory reaches is taken as the largest integer that JSON carries exactly. */
const offset = z
  .union(
    [z.string().regex(/^\d+$/, notAnOffset), z.number().nonnegative(notAnOffset).refine(Number.isInteger, notAnOffset)],
    notAnOffset,
  )
  .transform((value) => Math.min(Number(value), Number.MAX_SAFE_INTEGER))
  .describe('Where to start; 0 unless given. Beyond the end the answer has no entries.');

const query = z
  .union([z.string(), z.number().transform(String)], 'must be text')
  .refine((text) => text.length <= 1000, 'must have at most 1,000 characters')
  .describe(
    'Free text over name, alias and address: accents, case and small typos are forgiven. Without it the directory is listed by name.',
  );

/** Inputs of the search, in the query string or in a form or JSON body. */
export const healthSystemSearch = z.object({ offset: offset.nullish(), query: query.nullish() });

/** A health system as the search shows it (specification, "Health system entry"). */
export const healthSystemEntry = z.object({
  id: healthSystemId.describe('Identifies the health system in the connect URL.'),
  name: z.string(),
  address: z.string().describe('Postal address text; empty when the health system published none.'),
  fhirVersions: z.array(fhirVersion).describe('The FHIR releases it offers.'),
  logo: z.string().optional().describe('An https address or an image as a data: URL.'),
});
export type HealthSystemEntry = z.infer<typeof healthSystemEntry>;

export const healthSystemSearchResponse = z.object({
  success: z.literal(true),
  total: z.int().nonnegative(),
  offset: z.int().nonnegative(),
  limit: z.literal(searchPageSize),
  entry: z.array(healthSystemEntry).max(searchPageSize),
});

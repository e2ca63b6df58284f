import { z } from 'zod';

/**
 * The parts of SMART User-access Brands bundles that the directory reads. Malformed elements are ignored one by one: a
 * malformed alias does not cost a hospital its entry.
 * @see https://hl7.org/fhir/smart-app-launch/brands.html
 */
const text = z.string().optional().catch(undefined);

function listOf<T extends z.ZodType>(item: T): z.ZodType<z.output<T>[]> {
  return z
    .preprocess(
      (value) => (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]),
      z.array(z.unknown()),
    )
    .transform((items) =>
      items.flatMap((one) => {
        const parsed = item.safeParse(one);
        return parsed.success ? [parsed.data] : [];
      }),
    );
}

const reference = z.object({ reference: z.string().min(1) });

const part = z.object({
  url: z.string(),
  valueUrl: text,
  valueUri: text,
  valueString: text,
  valueMarkdown: text,
  valueCode: text,
  valueReference: reference.optional().catch(undefined),
});
export type ExtensionPart = z.output<typeof part>;

const extension = part.extend({ extension: listOf(part) });

const postalAddress = z.object({
  text,
  line: listOf(z.string()),
  city: text,
  state: text,
  postalCode: text,
  country: text,
});
export type PublishedAddress = z.output<typeof postalAddress>;

export const publishedOrganization = z.object({
  resourceType: z.literal('Organization'),
  id: text,
  active: z.boolean().optional().catch(undefined),
  name: text,
  alias: listOf(z.string()),
  address: listOf(postalAddress),
  partOf: reference.optional().catch(undefined),
  endpoint: listOf(reference),
  extension: listOf(extension),
});

const coding = z.object({ code: text });

export const publishedEndpoint = z.object({
  resourceType: z.literal('Endpoint'),
  id: text,
  status: text,
  /** One Coding in R4, CodeableConcepts in R5. */
  connectionType: listOf(coding.extend({ coding: listOf(coding) })),
  address: text,
  extension: listOf(extension),
});

/** An element of `Bundle.entry`. */
export const bundleEntry = z.object({ fullUrl: text, resource: z.looseObject({ resourceType: z.string() }) });

/** A resource as the directory reads it, or why it is rejected. */
export type ReadResult<Value> = { value: Value } | { problem: string };

export const endpointVersionUrl = 'http://hl7.org/fhir/StructureDefinition/endpoint-fhir-version';
export const brandUrl = 'http://hl7.org/fhir/StructureDefinition/organization-brand';
export const portalUrl = 'http://hl7.org/fhir/StructureDefinition/organization-portal';

/** Builders of SMART User-access Brands bundles. */
export interface GivenOrganization {
  id: string;
  name?: unknown;
  endpoints?: string[];
  [field: string]: unknown;
}

export function organization(
  { id, name = `Hospital ${id}`, endpoints = [], ...rest }: GivenOrganization,
  base?: string,
): object {
  return {
    fullUrl: base === undefined ? `urn:uuid:${id}` : `${base}/Organization/${id}`,
    resource: {
      resourceType: 'Organization',
      id,
      active: true,
      name,
      endpoint: endpoints.map((reference) => ({
        reference: reference.includes('/') ? reference : `Endpoint/${reference}`,
      })),
      ...rest,
    },
  };
}

export function endpoint({
  id,
  version = '4.0.1',
  address = `https://fhir.example.org/${id}`,
  base,
  ...rest
}: {
  id: string;
  version?: string;
  address?: unknown;
  base?: string;
  [field: string]: unknown;
}): object {
  return {
    fullUrl: base === undefined ? `urn:uuid:${id}` : `${base}/Endpoint/${id}`,
    resource: {
      resourceType: 'Endpoint',
      id,
      status: 'active',
      address,
      extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/endpoint-fhir-version', valueCode: version }],
      connectionType: {
        system: 'http://terminology.hl7.org/CodeSystem/endpoint-connection-type',
        code: 'hl7-fhir-rest',
      },
      ...rest,
    },
  };
}

export function bundleOf(...entry: object[]): string {
  return JSON.stringify({ resourceType: 'Bundle', type: 'collection', entry });
}

/** Returns a bundle of `count` hospitals with one endpoint each. */
export function hospitals(count: number, prefix = 'h'): string {
  return bundleOf(
    ...Array.from({ length: count }, (_, number) => [
      organization({ id: `${prefix}${number}`, endpoints: [`e-${prefix}${number}`] }),
      endpoint({ id: `e-${prefix}${number}` }),
    ]).flat(),
  );
}

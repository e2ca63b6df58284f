/** A SMART User-access Brands bundle with one brand: the sandbox, in its three releases. */
export function sandboxBrands(sandboxUrl: string): object {
  const releases = [
    { name: 'dstu2', version: '1.0.2' },
    { name: 'stu3', version: '3.0.2' },
    { name: 'r4', version: '4.0.1' },
  ];
  const endpoints = releases.map(({ name, version }) => ({
    fullUrl: `${sandboxUrl}/brands/Endpoint/${name}`,
    resource: {
      resourceType: 'Endpoint',
      id: name,
      extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/endpoint-fhir-version', valueCode: version }],
      status: 'active',
      connectionType: {
        system: 'http://terminology.hl7.org/CodeSystem/endpoint-connection-type',
        code: 'hl7-fhir-rest',
      },
      name: `Sandbox health system, ${name}`,
      payloadType: [
        { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/endpoint-payload-type', code: 'none' }] },
      ],
      address: `${sandboxUrl}/fhir/${name}`,
    },
  }));
  const organization = {
    fullUrl: `${sandboxUrl}/brands/Organization/sandbox`,
    resource: {
      resourceType: 'Organization',
      id: 'sandbox',
      identifier: [{ system: 'urn:ietf:rfc:3986', value: `${sandboxUrl}/brands/sandbox` }],
      active: true,
      name: 'Sandbox Health System',
      alias: ['Tributary Sandbox'],
      address: [{ line: ['1 Sandbox Way'], city: 'Springfield', state: 'IL', postalCode: '62701', country: 'US' }],
      endpoint: releases.map(({ name }) => ({ reference: `Endpoint/${name}` })),
    },
  };
  return {
    resourceType: 'Bundle',
    type: 'collection',
    timestamp: '2026-01-01T00:00:00Z',
    entry: [organization, ...endpoints],
  };
}

import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type SyntheticSystem, syntheticSystem } from './synthetic-system';

const versions = { dstu2: '1.0.2', stu3: '3.0.2', r4: '4.0.1' } as const;
const extensions = 'http://hl7.org/fhir/StructureDefinition';
const base = 'https://brands.example.org/bench';

/** Writes a SMART User-access Brands bundle with `count` health systems as a stream. */
export async function writeBundle(path: string, count: number): Promise<void> {
  await pipeline(Readable.from(bundleText(count)), createWriteStream(path));
}

/** The text of the bundle, one health system per chunk. */
export function* bundleText(count: number): Generator<string> {
  yield '{"resourceType":"Bundle","type":"collection","timestamp":"2026-01-01T00:00:00Z","entry":[\n';
  for (let number = 0; number < count; number++)
    yield `${number === 0 ? '' : ',\n'}${entriesOf(number, syntheticSystem(number))
      .map((entry) => JSON.stringify(entry))
      .join(',\n')}`;
  yield '\n]}\n';
}

function entriesOf(number: number, { name, alias, city, street, postalCode, releases }: SyntheticSystem): object[] {
  const endpoints = releases.map((release) => ({ id: `e${number}-${release}`, release }));
  const organization = {
    resourceType: 'Organization',
    id: `o${number}`,
    extension: [
      {
        url: `${extensions}/organization-portal`,
        extension: [
          { url: 'portalName', valueString: `${name} Portal` },
          { url: 'portalUrl', valueUrl: `https://portal-${number}.example.com` },
        ],
      },
    ],
    active: true,
    name,
    ...(alias === undefined ? {} : { alias: [alias] }),
    address: [{ line: [street], city: city.name, state: city.state, postalCode, country: 'US' }],
    endpoint: endpoints.map(({ id }) => ({ reference: `Endpoint/${id}` })),
  };
  return [
    { fullUrl: `${base}/Organization/${organization.id}`, resource: organization },
    ...endpoints.map(({ id, release }) => ({
      fullUrl: `${base}/Endpoint/${id}`,
      resource: {
        resourceType: 'Endpoint',
        id,
        extension: [{ url: `${extensions}/endpoint-fhir-version`, valueCode: versions[release] }],
        status: 'active',
        connectionType: {
          system: 'http://terminology.hl7.org/CodeSystem/endpoint-connection-type',
          code: 'hl7-fhir-rest',
        },
        name: `FHIR endpoint of ${name}`,
        payloadType: [
          { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/endpoint-payload-type', code: 'none' }] },
        ],
        address: `https://fhir-${number}.example.com/${release}`,
      },
    })),
  ];
}

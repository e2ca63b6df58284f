import { endpoint, organization } from '../../test/brands-bundles';
import { firstUsableLogo } from './logo';
import type { FhirVersion } from '@tributary/contracts';
import { addressText } from './postal-address';
import { readEndpoint } from './read-endpoint';
import { readOrganization } from './read-organization';
import { referencedKeys } from './resource-keys';

const production = { sandbox: false, release: undefined };
const resourceOf = (entry: object): unknown => (entry as { resource: unknown }).resource;

describe('readOrganization', () => {
  it('reads name, aliases, addresses, portals, logo, parent and endpoints', () => {
    const portal = [
      { url: 'portalName', valueString: ' My  Portal ' },
      { url: 'portalUrl', valueUrl: 'https://portal.example.org' },
      { url: 'portalLogo', valueUrl: 'https://portal.example.org/logo.png' },
      { url: 'portalEndpoint', valueReference: { reference: 'Endpoint/b' } },
      { url: 'portalEndpoint', valueReference: { reference: 'Endpoint/a' } },
    ];
    const entry = organization({
      id: 'o',
      name: '  Mayo\n Clinic ',
      alias: ['Mayo', '', 'Mayo', 7, '--'],
      endpoints: ['a'],
      partOf: { reference: 'Organization/p' },
      address: [
        { line: ['1 Main St', ' '], city: 'Rochester', state: 'MN', postalCode: '55905', country: 'US' },
        {},
        'odd',
        { city: 'Phoenix' },
      ],
      extension: [
        { url: 'http://hl7.org/fhir/StructureDefinition/organization-portal', extension: portal },
        {
          url: 'http://hl7.org/fhir/StructureDefinition/organization-brand',
          extension: [{ url: 'brandLogo', valueUrl: 'javascript:alert(1)' }],
        },
      ],
    });
    expect(readOrganization(resourceOf(entry), 'https://h.example.org/f/Organization/o')).toEqual({
      value: {
        key: 'https://h.example.org/f/Organization/o',
        keys: ['https://h.example.org/f/Organization/o', 'Organization/o'],
        sortKey: 'mayo clinic',
        partOf: ['https://h.example.org/f/Organization/p', 'Organization/p'],
        endpointKeys: [
          ['https://h.example.org/f/Endpoint/a', 'Endpoint/a'],
          ['https://h.example.org/f/Endpoint/b', 'Endpoint/b'],
        ],
        content: {
          name: 'Mayo Clinic',
          address: '1 Main St, Rochester, MN 55905',
          aliases: ['Mayo'],
          logo: 'https://portal.example.org/logo.png',
          addresses: [
            { line: ['1 Main St'], city: 'Rochester', state: 'MN', postalCode: '55905', country: 'US' },
            { city: 'Phoenix' },
          ],
          portals: [
            { name: 'My Portal', url: 'https://portal.example.org', logo: 'https://portal.example.org/logo.png' },
          ],
        },
      },
    });
  });

  it('returns why it rejects a resource', () => {
    expect(readOrganization(resourceOf(organization({ id: 'o', name: ' -- ' })), undefined)).toEqual({
      problem: 'no name',
    });
    expect(readOrganization(resourceOf(organization({ id: 'o', name: { odd: true } })), undefined)).toEqual({
      problem: 'no name',
    });
    expect(readOrganization(resourceOf(organization({ id: 'o', active: false })), undefined)).toEqual({
      problem: 'not active',
    });
    expect(readOrganization({ resourceType: 'Organization', name: 'X' }, undefined)).toEqual({
      problem: 'neither id nor fullUrl',
    });
  });
});

describe('readEndpoint', () => {
  it('returns an endpoint for each release', () => {
    const version = (valueCode: string): object => ({
      url: 'http://hl7.org/fhir/StructureDefinition/endpoint-fhir-version',
      valueCode,
    });
    expect(
      readEndpoint(
        resourceOf(
          endpoint({
            id: 'e',
            extension: [version('1.0.2'), version('4.0.1'), version('5.0.0')],
            connectionType: [{ coding: [{ code: 'hl7-fhir-rest' }] }],
          }),
        ),
        undefined,
        production,
      ),
    ).toEqual({
      value: {
        keys: ['Endpoint/e'],
        address: 'https://fhir.example.org/e',
        releases: ['dstu2', 'r4'],
        foundBy: 'extension',
      },
    });
  });

  it('finds a release in the extension, else in the address, else in the file', () => {
    const releases = (given: object, release?: FhirVersion): unknown => {
      const read = readEndpoint(resourceOf(endpoint({ id: 'e', ...given })), undefined, { sandbox: false, release });
      return 'value' in read ? [read.value.releases, read.value.foundBy] : read;
    };
    const [unnamed, address] = [{ extension: [] }, 'https://fhir.example.org/dstu2/7'];
    expect(releases({ version: '3.0.1', address }, 'r4')).toEqual([['stu3'], 'extension']);
    expect(releases({ version: 'R4' })).toEqual([['r4'], 'extension']);
    expect(releases({ version: 'unknown', address }, 'r4')).toEqual([['dstu2'], 'address']);
    expect(releases({ ...unnamed, address }, 'r4')).toEqual([['dstu2'], 'address']);
    expect(releases(unnamed, 'r4')).toEqual([['r4'], 'file']);
    expect(releases(unnamed)).toEqual([[], undefined]);
  });

  it('returns why it rejects a resource', () => {
    const problem = (given: object): unknown =>
      readEndpoint(resourceOf(endpoint({ id: 'e', ...given })), undefined, production);
    expect(problem({ version: '4.3.0' })).toEqual({ problem: 'FHIR version is not offered' });
    expect(problem({ extension: [], address: 'https://x.example.org/R5' })).toEqual({
      problem: 'FHIR version is not offered',
    });
    expect(problem({ status: 'off' })).toEqual({ problem: 'not active' });
    expect(problem({ connectionType: { code: 'direct-project' } })).toEqual({ problem: 'not a FHIR REST endpoint' });
    expect(problem({ address: '  ' })).toEqual({ problem: 'no address' });
    expect(problem({ address: 'http://x.example.org' })).toEqual({ problem: 'address is not https' });
  });
});

describe('referencedKeys', () => {
  it('resolves relative references against the referring resource, and keeps absolute ones', () => {
    expect(referencedKeys('Endpoint/a', 'https://h.example.org/fhir/Organization/o')).toEqual([
      'https://h.example.org/fhir/Endpoint/a',
      'Endpoint/a',
    ]);
    expect(referencedKeys('Endpoint/a/_history/3', 'urn:uuid:1')).toEqual(['Endpoint/a']);
    expect(referencedKeys('https://other.example.org/Endpoint/a', 'https://h.example.org/Organization/o')).toEqual([
      'https://other.example.org/Endpoint/a',
    ]);
    expect(referencedKeys('urn:uuid:2', undefined)).toEqual(['urn:uuid:2']);
    expect(referencedKeys('#contained', undefined)).toEqual([]);
  });
});

describe('addressText', () => {
  it('formats the address as one line', () => {
    expect(addressText({ postalCode: '43213', country: 'US' })).toBe('43213');
    expect(addressText({ city: 'Toronto', state: 'ON', country: 'Canada' })).toBe('Toronto, ON, Canada');
    expect(addressText({ text: '1 Rue', city: 'Paris' })).toBe('1 Rue');
    expect(addressText(undefined)).toBe('');
  });
});

describe('firstUsableLogo', () => {
  it('accepts https URLs and small images', () => {
    expect(
      firstUsableLogo([
        'http://x.example.org/a.png',
        `data:image/png;base64,${'A'.repeat(20_000)}`,
        'data:text/html,<script>',
        ' https://x.example.org/a.png ',
      ]),
    ).toBe('https://x.example.org/a.png');
    expect(firstUsableLogo(["data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg'/>"])).toContain(
      'data:image/svg+xml',
    );
    expect(firstUsableLogo([undefined])).toBeUndefined();
  });
});

import { type GivenRow, row } from '../../test/endpoint-lists';
import { readListRow } from './list-row';

const production = { sandbox: false, keepTestSystems: false };
const url = 'https://fhir.clinics-vendor.org/fhir/r4';

function read(given: GivenRow, options = production): ReturnType<typeof readListRow> {
  return readListRow(row({ url, name: 'Clinic', ...given }), options);
}

describe('readListRow', () => {
  it('reads name, address and postal code', () => {
    expect(read({ url: ` ${url}/ `, name: ' Old  Town\tClinic ', zip: '432131234' })).toMatchObject({
      value: {
        sortKey: 'old town clinic',
        address: `${url}/`,
        content: { name: 'Old Town Clinic', address: '43213-1234', addresses: [{ postalCode: '43213-1234' }] },
      },
    });
    for (const zip of ['', ' ', '00000', 'N/A'])
      expect(read({ zip })).toMatchObject({ value: { content: { address: '', addresses: [] } } });
  });

  it('reads a row without the optional members', () => {
    expect(readListRow({ URL: url, OrganizationName: 'Clinic' }, production)).toHaveProperty('value');
    expect(
      readListRow({ URL: url, OrganizationName: 'Clinic', NPIID: null, OrganizationZipCode: 7 }, production),
    ).toEqual(read({}));
  });

  it('has the same first key for the same name and address, whatever the postal code', () => {
    const keys = (given: GivenRow): string[] => {
      const result = read(given);
      return 'value' in result ? result.value.keys : [];
    };
    expect(keys({ name: 'CLINIC', url: `${url}/`, zip: '43213' })[0]).toBe(keys({ zip: '10014' })[0]);
    expect(keys({ name: 'Other' })[0]).not.toBe(keys({})[0]);
    expect(keys({ npi: '1234567893' })).toContain('npi:1234567893');
    expect(keys({ npi: 'unknown' })).toHaveLength(1);
  });

  it.each<[GivenRow, string]>([
    [{ name: '' }, 'no name'],
    [{ name: ' -- ' }, 'no name'],
    [{ name: undefined }, 'no name'],
    [{ url: '' }, 'no address'],
    [{ url: undefined }, 'no address'],
    [{ url: 'fhir.clinics-vendor.org/r4' }, 'malformed address'],
    [{ url: `https://clinics-vendor.org/${'r'.repeat(2100)}` }, 'malformed address'],
    [{ url: 'http://fhir.clinics-vendor.org/r4' }, 'address is not https'],
    [{ url: 'https://10.20.30.40/fhir/r4' }, 'address lies in an internal network'],
    [{ url: 'https://localhost:8080/fhir/r4' }, 'address lies in an internal network'],
    [{ url: 'https://ehr01.hospital.local/fhir/r4' }, 'address lies in an internal network'],
    [{ url: 'https://fhir-sandbox.clinics-vendor.org/r4' }, 'address of a test system'],
    [{ url: 'https://fhir.clinics-vendor.org/uat/r4' }, 'address of a test system'],
    [{ url: 'https://fhir.example.com/r4' }, 'address of a test system'],
  ])('rejects %j: %s', (given, problem) => expect(read(given)).toEqual({ problem }));

  it('keeps words that only contain those of test systems', () => {
    for (const host of ['contest.org', 'devon-clinic.org', 'latest.clinics-vendor.org', 'demographics.org'])
      expect(read({ url: `https://${host}/r4` })).toHaveProperty('value');
  });

  it('keeps test systems on request, and in the sandbox', () => {
    const given = { url: 'https://fhir.example.com/r4' };
    expect(read(given, { sandbox: false, keepTestSystems: true })).toHaveProperty('value');
    expect(read({ url: 'http://localhost:4004/r4' }, { sandbox: true, keepTestSystems: false })).toHaveProperty(
      'value',
    );
  });

  it('rejects what is no row', () => {
    for (const value of [null, 7, 'x', []])
      expect(readListRow(value, production)).toEqual({ problem: 'not a row of a list' });
    expect(readListRow({}, production)).toEqual({ problem: 'no name' });
  });
});

import { readEndpointAddress } from './endpoint-address';

describe('readEndpointAddress', () => {
  it('keeps the published text without surrounding white space', () => {
    for (const address of [
      'https://fhir.example.org/R4',
      'https://fhir.example.org:443/v1/uscore/R4',
      'https://FHIR.KP.ORG/service/',
      'https://8.8.8.8/fhir',
      'https://fhir.example.org',
    ]) {
      expect(readEndpointAddress(` ${address}\n`, false)).toEqual({ address });
    }
  });

  it.each([
    '',
    'fhir.example.org/R4',
    'https:/fhir.example.org',
    'https://',
    'https://a b.example.org',
    'https://fhir.example.org/R4?x=1',
    'https://fhir.example.org/R4#x',
    'https://user:password@fhir.example.org',
    'ftp://fhir.example.org',
    'https://fhir.example.org/{tenant}',
    'https://fhir.example.org:99999/',
    'https://fhir.example.org/a\0b',
    'https://fhir.example.org/a\ud800b',
  ])('rejects the malformed %p', (address) => {
    expect(readEndpointAddress(address, true)).toEqual({ problem: 'malformed address' });
  });

  it('rejects http and private addresses outside of the sandbox', () => {
    expect(readEndpointAddress('http://fhir.example.org/R4', false)).toEqual({ problem: 'address is not https' });
    for (const host of [
      'localhost',
      'fhir',
      'fhir.local',
      'ehr.hospital.corp',
      'app01.hosp.internal',
      '10.1.2.3',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '127.1',
      '0x7f.1',
      '[::1]',
      '[fd00::1]',
      '[::ffff:10.0.0.1]',
      'localhost.',
    ]) {
      const address = `https://${host}/fhir`;
      expect([address, readEndpointAddress(address, false)]).toEqual([
        address,
        { problem: 'address lies in an internal network' },
      ]);
      expect(readEndpointAddress(address, true)).toEqual({ address });
    }
    expect(readEndpointAddress('http://localhost:4004/fhir/r4', true)).toEqual({
      address: 'http://localhost:4004/fhir/r4',
    });
  });
});

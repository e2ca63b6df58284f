import { normalizedBase, registrationPatterns, withoutFinalSlash } from './registration-patterns';

it('matches a registration by FHIR base, host and domain', () => {
  expect(registrationPatterns('https://FHIR.Clinic.Example.org:8443/R4/')).toEqual([
    'https://fhir.clinic.example.org:8443/R4',
    'fhir.clinic.example.org:8443',
    'fhir.clinic.example.org',
    '*.clinic.example.org',
    '*.example.org',
  ]);
  expect(registrationPatterns('http://localhost:4004/fhir/r4')).toEqual([
    'http://localhost:4004/fhir/r4',
    'localhost:4004',
    'localhost',
  ]);
});

it('ignores slashes at the end and the case of the host, not of the path', () => {
  expect(normalizedBase('HTTPS://FHIR.Example.org/api/R4//')).toBe('https://fhir.example.org/api/R4');
  expect(normalizedBase('https://fhir.example.org')).toBe('https://fhir.example.org');
  expect(normalizedBase('FHIR.Example.org:8443')).toBe('fhir.example.org:8443');
});

it('removes the slashes at the end of a URL, and nothing else', () => {
  const urls = ['https://FHIR.example.org/R4', 'https://FHIR.example.org/R4/', 'https://FHIR.example.org/R4//'];
  expect(new Set(urls.map(withoutFinalSlash))).toEqual(new Set([urls[0]]));
});

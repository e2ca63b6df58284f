import { isR4Requested } from './output-format';

it.each([
  'application/fhir+ndjson',
  'application/ndjson',
  'ndjson',
  'application/fhir ndjson',
  ' Application/FHIR+NDJSON ',
])('%j requests resources as they are', (format) => {
  expect(isR4Requested([format])).toBeUndefined();
});

it.each([
  'application/fhir+ndjson;fhirVersion=4.0',
  'application/fhir+ndjson; fhirVersion=4.0.1',
  'application/fhir+ndjson ; fhirversion = "4.0" ',
  'application/fhir ndjson; fhirVersion="4.0.1"',
  'application/ndjson;fhirVersion=4.0',
  'ndjson;fhirVersion=4.0',
])('%j requests R4', (format) => {
  expect(isR4Requested([format])).toBe(true);
  expect(isR4Requested([format, format])).toBe(true);
});

it.each([
  '1.0',
  '3.0',
  '4',
  '4.0.0',
  '4.0.10',
  '4.3',
  '5.0',
  '"4.0',
  '4.0"',
  '',
  'r4',
  '4.0;fhirVersion=4.0',
  '4.0; charset=utf-8',
])('fhirVersion=%s is refused', (version) => {
  expect(() => isR4Requested([`application/fhir+ndjson;fhirVersion=${version}`])).toThrow(/^_outputFormat:/);
});

it.each([
  '',
  'text/csv',
  'fhirVersion=4.0',
  'application/fhir+json;fhirVersion=4.0',
  'ndjson;',
  'ndjson; charset=utf-8',
])('%j is refused', (format) => {
  expect(() => isR4Requested([format])).toThrow(/^_outputFormat:/);
});

it('refuses formats that differ', () => {
  expect(() => isR4Requested(['ndjson', 'ndjson;fhirVersion=4.0'])).toThrow('_outputFormat: must be one format');
});

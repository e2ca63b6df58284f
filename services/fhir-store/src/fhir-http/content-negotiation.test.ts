import type { Release } from '@tributary/fhir-definitions';
import { FhirError } from './fhir-error';
import { negotiateFormat, assertOwnRelease } from './content-negotiation';

const charset = '; charset=utf-8';

function refusal(release: Release, accept: string | undefined, format: string | null = null): string {
  const negotiated = negotiateFormat(release, accept, format);
  return negotiated instanceof FhirError ? `${negotiated.status} ${negotiated.message}` : 'none';
}

it.each<[Release, string | undefined, string]>([
  ['dstu2', undefined, 'application/json+fhir'],
  ['dstu2', 'application/fhir+json', 'application/json+fhir'],
  ['stu3', 'text/html, application/json;q=0.9', 'application/json'],
  ['r4', '*/*;q=0.1', 'application/fhir+json'],
  ['r4', 'application/xml, application/fhir+json;q=0.2', 'application/fhir+json'],
])('%s answers %s natively', (release, accept, type) => {
  expect(negotiateFormat(release, accept, null)).toEqual({ contentType: type + charset, release });
});

it.each<[Release, string, string, Release]>([
  ['dstu2', 'application/fhir+json; fhirVersion=4.0', 'application/fhir+json; fhirVersion=4.0', 'r4'],
  ['stu3', 'application/fhir+json;FHIRVersion="4.0.1";charset=utf-8', 'application/fhir+json; fhirVersion=4.0', 'r4'],
  ['r4', 'application/fhir+json; fhirVersion=4.0', 'application/fhir+json; fhirVersion=4.0', 'r4'],
  ['dstu2', 'application/json+fhir; fhirVersion=1.0', 'application/json+fhir; fhirVersion=1.0', 'dstu2'],
  ['stu3', 'application/fhir+json; fhirVersion=3.0', 'application/fhir+json; fhirVersion=3.0', 'stu3'],
  ['stu3', 'application/json; fhirVersion=4.0', 'application/json; fhirVersion=4.0', 'r4'],
  ['dstu2', '*/*; fhirVersion=4.0', 'application/fhir+json; fhirVersion=4.0', 'r4'],
  // What cannot be had is passed over, what is wanted more comes first, and what names a release before what does not.
  [
    'stu3',
    'application/fhir+json; fhirVersion=5.0, application/fhir+json; fhirVersion=4.0; q=0.5',
    'application/fhir+json; fhirVersion=4.0',
    'r4',
  ],
  ['stu3', 'application/fhir+xml; fhirVersion=4.0, application/fhir+json', 'application/fhir+json', 'stu3'],
  [
    'stu3',
    'application/fhir+json; fhirVersion=4.0; q=0.3, application/fhir+json; fhirVersion=3.0; q=0.8',
    'application/fhir+json; fhirVersion=3.0',
    'stu3',
  ],
  ['stu3', '*/*, application/fhir+json; fhirVersion=4.0', 'application/fhir+json; fhirVersion=4.0', 'r4'],
  ['dstu2', 'application/fhir+json; fhirVersion=4.0; q=0, */*', 'application/json+fhir', 'dstu2'],
])('%s takes %s as %s', (release, accept, type, shown) => {
  for (let i = 0; i < 2; i++)
    expect(negotiateFormat(release, accept, null)).toEqual({ contentType: type + charset, release: shown });
});

it.each<[Release, string, string]>([
  ['stu3', 'application/fhir+json; fhirVersion=4.0', 'application/fhir+json; fhirVersion=4.0'],
  ['stu3', 'application/fhir json; fhirVersion=4.0', 'application/fhir+json; fhirVersion=4.0'],
  ['dstu2', 'json;fhirVersion=4.0', 'application/fhir+json; fhirVersion=4.0'],
  ['dstu2', 'json', 'application/json+fhir'],
])('%s lets _format=%s stand in place of Accept', (release, format, type) => {
  expect(negotiateFormat(release, 'application/fhir+json; fhirVersion=5.0', format)).toMatchObject({
    contentType: type + charset,
  });
});

it('refuses other releases by name, and what is no JSON', () => {
  expect(refusal('dstu2', 'application/fhir+json; fhirVersion=3.0')).toBe(
    '406 fhirVersion=3.0 is not available at this address; available: fhirVersion=1.0 and fhirVersion=4.0',
  );
  expect(refusal('r4', 'application/fhir+json; fhirVersion=1.0')).toBe(
    '406 fhirVersion=1.0 is not available at this address; available: fhirVersion=4.0',
  );
  expect(refusal('stu3', 'application/fhir+json; fhirVersion=5.0.0')).toContain(
    '406 fhirVersion=5.0.0 is not available',
  );
  expect(refusal('stu3', 'application/fhir+json; fhirVersion=<script>')).toContain(
    '406 the requested fhirVersion is not available',
  );
  expect(refusal('stu3', 'application/fhir+json; fhirVersion=')).toContain(
    '406 the requested fhirVersion is not available',
  );
  expect(refusal('stu3', undefined, 'json;fhirVersion=4.3')).toContain('406 fhirVersion=4.3 is not available');
  for (const accept of ['application/fhir+xml; fhirVersion=4.0', 'text/html'])
    expect(refusal('stu3', accept)).toBe('406 this service supports FHIR in JSON only');
  expect(refusal('stu3', undefined, 'xml;fhirVersion=4.0')).toBe('406 this service supports FHIR in JSON only');
});

it('takes an empty Accept or _format as none', () => {
  expect(negotiateFormat('r4', '', null)).toMatchObject({ contentType: `application/fhir+json${charset}` });
  expect(negotiateFormat('r4', 'application/json', '')).toMatchObject({ contentType: `application/json${charset}` });
  expect(refusal('r4', 'application/fhir+xml', '')).toBe('406 this service supports FHIR in JSON only');
});

it('accepts bodies of the release of the URL only', () => {
  for (const type of [
    undefined,
    'application/json',
    'application/fhir+json; charset=utf-8',
    'application/fhir+json; fhirVersion=4.0',
    'application/fhir+json;fhirversion="4.0.1"',
  ])
    expect(() => assertOwnRelease('r4', type)).not.toThrow();
  for (const type of ['application/fhir+json; fhirVersion=3.0', 'application/json;fhirVersion=9.9'])
    expect(() => assertOwnRelease('r4', type)).toThrow(expect.objectContaining({ status: 415 }));
});

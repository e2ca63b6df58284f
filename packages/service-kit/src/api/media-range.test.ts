import { mediaRange, mediaRanges, withPlus } from './media-range';

describe('mediaRanges', () => {
  it('reads types, weights and fhirVersion in their order', () => {
    expect(mediaRanges('Application/FHIR+JSON; fhirVersion=4.0, text/html;q=0.5 , */*; q=0')).toEqual([
      { type: 'application/fhir+json', quality: 1, fhirVersion: '4.0', parameters: [['fhirversion', '4.0']] },
      { type: 'text/html', quality: 0.5, fhirVersion: undefined, parameters: [['q', '0.5']] },
      { type: '*/*', quality: 0, fhirVersion: undefined, parameters: [['q', '0']] },
    ]);
  });

  it('splits at no comma or semicolon in a quoted string', () => {
    const accept = String.raw`text/plain; title="a, b; q=0 \", c"; q=0.3, application/json; fhirVersion="4.0"`;
    expect(mediaRanges(accept)).toEqual([
      {
        type: 'text/plain',
        quality: 0.3,
        fhirVersion: undefined,
        parameters: [
          ['title', 'a, b; q=0 ", c'],
          ['q', '0.3'],
        ],
      },
      { type: 'application/json', quality: 1, fhirVersion: '4.0', parameters: [['fhirversion', '4.0']] },
    ]);
  });

  it('reads a quoted string that does not end up to the end of the text', () => {
    expect(mediaRanges('text/plain; title="a, text/html; q=0')).toMatchObject([
      { type: 'text/plain', quality: 1, parameters: [['title', '"a, text/html; q=0']] },
    ]);
  });

  it('takes a weight that is not a number for 1', () => {
    expect(mediaRange('text/html; q=high').quality).toBe(1);
  });
});

it.each([
  ['application/fhir json', 'application/fhir+json'],
  [' application/fhir json; fhirVersion=4.0', 'application/fhir+json; fhirVersion=4.0'],
  ['application/fhir+json ; fhirVersion=4.0', 'application/fhir+json ; fhirVersion=4.0'],
  ['json', 'json'],
])('withPlus(%j) is %j', (text, expected) => {
  expect(withPlus(text)).toBe(expected);
});

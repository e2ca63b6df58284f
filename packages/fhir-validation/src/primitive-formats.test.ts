import { elementModel, releases } from '@tributary/fhir-definitions';
import fc from 'fast-check';
import { MAX_STRING_LENGTH, primitiveFormats } from './primitive-formats';

/** What stu3 publishes for codes takes time that doubles with each character; its words mean what r4 publishes. */
const EXPONENTIAL = new Set(['stu3 code']);

/** The types whose format here says more, or less, than the published regular expression, and why. */
const DIFFERENT = new Set([
  'boolean', // JSON's own
  'decimal', // numbers, compared by their text elsewhere
  'integer',
  'unsignedInt',
  'positiveInt',
  'string', // the published one refuses the no-break space, at least as JavaScript reads it
  'markdown',
  'base64Binary', // the published one takes exponential time and counts "=" as a digit
]);

/** Pieces from which odd values of every kind are built. */
const pieces = fc.constantFrom(
  ...'2020 1999 0000 - -02 -13 -00 -28 -31 -30 T 10:20:30 24:00:00 23:59:60 .5 . Z +01:00 -14:00 +14:30 urn:oid: urn:uuid: 1.2.3 0 01 .0 a code http://a/b é 😀'.split(
    ' ',
  ),
  ...' |  |\n|\t|\u00a0|c757873d-ec9a-4326-a141-556f43239520|C757873D'.split('|'),
);
const candidate = fc.oneof(
  fc.array(pieces, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
);

describe.each(releases)('the primitive formats of %s', (release) => {
  const formats = primitiveFormats(release);
  const patterned = [...formats.keys()].filter(
    (name) =>
      elementModel(release).type(name)?.pattern !== undefined &&
      !DIFFERENT.has(name) &&
      !EXPONENTIAL.has(`${release} ${name}`),
  );

  it('cover every primitive type of the model', () => {
    const names = [
      'base64Binary',
      'boolean',
      'code',
      'date',
      'dateTime',
      'decimal',
      'id',
      'instant',
      'integer',
      'markdown',
      'oid',
      'positiveInt',
      'string',
      'time',
      'unsignedInt',
      'uri',
      'xhtml',
    ];
    for (const name of names)
      expect([name, formats.has(name), elementModel(release).type(name)?.kind]).toEqual([name, true, 'primitive']);
  });

  it.each(patterned)(
    'take for %s what the published regular expression takes, save days that no calendar has',
    (name) => {
      const published = new RegExp(`^(?:${elementModel(release).type(name)?.pattern})$`, 'u');
      fc.assert(
        fc.property(candidate, (value) => {
          const isSound = formats.get(name)?.(value) === undefined;
          const isExpected = published.test(value) && !(/date|instant/i.test(name) && impossibleDay(value));
          return isSound === isExpected; // `expect` takes most of the time of so many runs.
        }),
        { numRuns: 3000 },
      );
    },
  );

  it.each([
    [
      'date',
      ['2020', '2020-02', '2020-02-29', '1900-02-28'],
      ['2020-1', '2020-13', '2021-02-29', '1900-02-29', '20200101', '2020-02-29Z', '2020-'],
    ],
    [
      'dateTime',
      ['2020', '2020-02-29T00:00:00Z', '2020-02-29T23:59:59.999-05:00'],
      ['2020-02-29T00:00:00', '2020-02-29T24:00:00Z', '2020-02T00:00:00Z', '2020-02-29T00:00Z', '2020-02-29 00:00:00Z'],
    ],
    ['instant', ['2020-02-29T00:00:00Z'], ['2020-02-29', '2020', '2020-02-29T00:00:00+15:00']],
    ['time', ['00:00:00', '23:59:59.5'], ['24:00:00', '00:00', '00:00:00Z']],
    ['id', ['a', 'A-1.b', 'x'.repeat(64)], ['', 'a_b', 'x'.repeat(65), 'é']],
    ['SampledDataDataType', ['1 -2.5 E U .5 L'], ['1  2', '1,2', 'x', ' 1', '1.']],
    ['oid', ['urn:oid:1.2.840'], ['1.2.840', 'urn:oid:1.02']],
    ['base64Binary', ['YWJj', 'YQ==', 'YW Jj\r\nYQ=='], ['YWJ', 'YQ=', '====', 'YWJ!', '=YWJ']],
    [
      'xhtml',
      ['<div>x</div>', ' <div xmlns="http://www.w3.org/1999/xhtml"><a href="x">y</a></div> ', '<div/>'],
      [
        'x',
        '<p>x</p>',
        '<div>',
        '<div><iframe/></div>',
        '<div onclick="x">y</div>',
        '<div><a href="javascript:x">y</a></div>',
      ],
    ],
  ])('validate %s', (name, sound, broken) => {
    for (const value of sound) expect([value, formats.get(name)?.(value)]).toEqual([value, undefined]);
    for (const value of broken)
      expect([value, formats.get(name)?.(value)]).toEqual([
        value,
        expect.objectContaining({ rule: expect.any(String) }),
      ]);
  });

  it('limit the range of integers', () => {
    expect(formats.get('integer')?.(-2147483648)).toBeUndefined();
    expect(formats.get('integer')?.(2147483648)).toBeDefined();
    expect(formats.get('unsignedInt')?.(-1)).toBeDefined();
    expect(formats.get('positiveInt')?.(0)).toBeDefined();
    expect(formats.get('positiveInt')?.(1)).toBeUndefined();
  });

  it('limit the length of strings', () => {
    expect(formats.get('string')?.('x'.repeat(MAX_STRING_LENGTH))).toBeUndefined();
    expect(formats.get('string')?.('x'.repeat(MAX_STRING_LENGTH + 1))).toMatchObject({ code: 'too-long' });
  });
});

function impossibleDay(value: string): boolean {
  const [, year, month, day] = /^-?(\d{4})-(\d\d)-(\d\d)/.exec(value) ?? [];
  if (day === undefined) return false;
  const date = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month) - 1, Number(day)));
  return date.getUTCDate() !== Number(day);
}

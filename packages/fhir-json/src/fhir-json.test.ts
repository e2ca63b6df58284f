import fc from 'fast-check';
import {
  DecimalText,
  JsonError,
  MAX_DEPTH,
  TooManyMembersError,
  decimalText,
  decimalValue,
  hasMoreMembers,
  isDecimal,
  isJsonObject,
  parseJson,
  stringifyJson,
} from './index';

/** The text of any JSON number, the odd ones as often as the plain ones. */
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.nat().map(String), fc.stringMatching(/^[1-9]\d{0,40}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,30}$/), fc.stringMatching(/^\.\d{0,4}0{1,3}$/)),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.stringMatching(/^[eE][+-]?\d{1,4}$/) },
    ),
  )
  .map((parts) => parts.join(''));

/** The text of any document, written compactly, with a name only once in each object. */
const { documentText } = fc.letrec<{ documentText: string; text: string }>((tie) => ({
  text: fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value)),
  documentText: fc.oneof(
    { depthSize: 'small' },
    numberText,
    tie('text'),
    fc.constantFrom('true', 'false', 'null'),
    fc.array(tie('documentText')).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(fc.string().filter(keepsItsPlace), tie('documentText')), { selector: ([name]) => name })
      .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
  ),
}));

/** JavaScript moves names that look like array indexes to the front; FHIR has no such names. */
function keepsItsPlace(name: string): boolean {
  return name !== '__proto__' && !/^\d+$/.test(name);
}

function refusal(text: string, options?: Parameters<typeof parseJson>[1]): JsonError {
  try {
    parseJson(text, options);
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  throw new Error('the text was accepted');
}

describe('parseJson', () => {
  it('keeps the text of every document', () => {
    fc.assert(
      fc.property(documentText, (text) => {
        expect(stringifyJson(parseJson(text))).toBe(text);
        expect(stringifyJson(parseJson(text, { duplicates: 'refuse' }))).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps the text and the value of every number', () => {
    fc.assert(
      fc.property(numberText, (text) => {
        const number = (parseJson(`{"value": ${text}}`) as { value: unknown }).value;
        if (!isDecimal(number)) throw new Error('not a number');
        expect(decimalText(number)).toBe(text);
        expect(decimalValue(number)).toBe(Number(text));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    '1.0',
    '0.00',
    '-0',
    '-0.0',
    '1E-7',
    '1E3',
    '1e21',
    '1e-07',
    '0.0000001',
    '9007199254740993',
    '123456789012345678901234567890',
    '1e400',
    '2.50',
  ])('keeps %s as a DecimalText', (text) => {
    expect(parseJson(text)).toEqual(new DecimalText(text));
    expect(parseJson(`[${text}]`)).toEqual([new DecimalText(text)]);
    expect(stringifyJson(parseJson(` [ ${text}\n] `))).toBe(`[${text}]`);
  });

  it.each(['0', '-1', '1.5', '72.25', '0.000001', '1e-7', '1e+21', '9007199254740991', '0.1'])(
    'gives %s as a plain number',
    (text) => {
      expect(parseJson(`{"value":${text}}`)).toEqual({ value: Number(text) });
    },
  );

  it('accepts and refuses the same texts as JSON.parse', () => {
    const fragments = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '"a":',
      '1',
      '1.0',
      '-',
      '01',
      '.5',
      '1.',
      '1e',
      'true',
      'tru',
      'null',
      ' ',
      '\n',
      '\\',
      '\\u00',
      '\u0000',
      '"\t"',
      '"\\u0041\\n"',
    );
    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 8 }), (parts) => {
        const text = parts.join('');
        expect(accepts(() => parseJson(text))).toBe(accepts(() => JSON.parse(text)));
      }),
      { numRuns: 5000 },
    );
  });

  it('refuses arbitrary text exactly where JSON.parse does', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        (text) => accepts(() => parseJson(text)) === accepts(() => JSON.parse(text)),
      ),
    );
  });

  it('skips a byte order mark', () => {
    expect(parseJson('\ufeff{"a":1}')).toEqual({ a: 1 });
  });

  it('reads escapes beside numbers that keep their text', () => {
    expect(parseJson('{"a":1.0,"b":"\\u00e9\\"\\\\ \\ud83d\\ude00"}')).toEqual({
      a: new DecimalText('1.0'),
      b: 'é"\\ 😀',
    });
  });

  it.each(['{"__proto__":{"polluted":true}}', '{"a":[{"\\u005f_proto_\\u005F":1}]}', '{"a":1.0,"__proto__":null}'])(
    'refuses the name __proto__: %s',
    (text) => {
      expect(refusal(text).message).toContain('__proto__');
      expect(Object.prototype).not.toHaveProperty('polluted');
    },
  );

  it('allows __proto__ as a value, and other property names of Object.prototype as names', () => {
    expect(parseJson('{"a":"__proto__"}')).toEqual({ a: '__proto__' });
    const odd = parseJson('{"constructor":1.0,"hasOwnProperty":2}');
    expect(stringifyJson(odd)).toBe('{"constructor":1.0,"hasOwnProperty":2}');
  });

  it('uses the last of two properties of one name, or refuses them on request', () => {
    expect(parseJson('{"a":1,"a":2}')).toEqual({ a: 2 });
    expect(parseJson('{"a":1.0,"a":2.0}')).toEqual({ a: new DecimalText('2.0') });
    expect(refusal('{"a":1,"b":{},"a":2}', { duplicates: 'refuse' })).toMatchObject({ position: 14 });
    expect(parseJson('[{"a":1},{"a":2}]', { duplicates: 'refuse' })).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('accepts the maximum depth and refuses deeper documents', () => {
    const nested = (depth: number, inner: string) => '['.repeat(depth) + inner + ']'.repeat(depth);
    for (const inner of ['1', '1.0']) {
      expect(stringifyJson(parseJson(nested(MAX_DEPTH, inner)))).toBe(nested(MAX_DEPTH, inner));
      expect(refusal(nested(MAX_DEPTH + 1, inner)).message).toContain('deeper');
      expect(refusal('{"a":'.repeat(1_000_000)).message).toContain('deeper');
    }
  });

  it('distinguishes many arrays from deeply nested ones', () => {
    const wide = JSON.stringify(Array.from({ length: 1000 }, (_, at) => ({ text: '\\"[[{{', at })));
    expect(stringifyJson(parseJson(wide))).toBe(wide);
  });

  it('reports the position of an error and quotes nothing', () => {
    const error = refusal('{\n  "family": "Secretname",\n  "given": Othersecret\n}');
    expect(error).toMatchObject({ line: 3, column: 12, position: 39 });
    expect(error.message).not.toMatch(/secret/i);
  });

  it.each(['', '  ', '{', '[1,', '{"a"', '"abc', '[1 2]', '{"a":1,}', '[01]', '1.0.0', '{1.0:2}', 'nul', '[1.0]x'])(
    'refuses %j with a position',
    (text) => {
      expect(refusal(text).position).toBeLessThanOrEqual(text.length);
    },
  );
});

describe('stringifyJson', () => {
  it('omits undefined properties', () => {
    expect(stringifyJson({ a: undefined, b: new DecimalText('1.0') })).toBe('{"b":1.0}');
  });

  it('does not change how JSON.stringify writes a DecimalText: as a number', () => {
    stringifyJson([new DecimalText('1.0')]);
    expect(JSON.stringify([new DecimalText('1.50')])).toBe('[1.5]');
  });
});

describe('DecimalText', () => {
  it('accepts only the text of a number, and is not a JSON object', () => {
    expect(() => new DecimalText('1,2')).toThrow(TypeError);
    expect(isDecimal('1.0')).toBe(false);
    expect(isJsonObject(new DecimalText('1.0'))).toBe(false);
    expect(isJsonObject({})).toBe(true);
    expect(isJsonObject([])).toBe(false);
  });
});

function accepts(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

describe('the number of members', () => {
  const text = '{"a":[1,2,{"b":null}],"c":{}}';

  it('counts members of objects and items of arrays', () => {
    expect(parseJson(text, { maxMembers: 6 })).toEqual(parseJson(text));
    expect(() => parseJson(text, { maxMembers: 5 })).toThrow(TooManyMembersError);
    expect(() => parseJson(text, { maxMembers: 5 })).toThrow('more than 5 members at line 1, column 23 (position 22)');
    expect([5, 6].map((max) => hasMoreMembers(parseJson(text), max))).toEqual([true, false]);
  });

  it('has no limit by default', () => {
    expect(parseJson(`[${'0,'.repeat(200_000)}0]`)).toHaveLength(200_001);
  });
});

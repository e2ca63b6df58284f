import fc from 'fast-check';
import { parseJson } from '@tributary/fhir-json';
import { FhirStoreUnderTest } from '../../fhir-store-under-test';
import type { RecordOverHttp } from '../../record-over-http';
import { found, indexesOf, populate } from './population';

const seed = 20260101;
const numRuns = 60;
const size = 40;
const ucum = 'http://unitsofmeasure.org';

/**
 * The R4 search page, #date, #quantity and #string, against models of a few lines: whatever is stored, whatever is
 * asked.
 */
describe('search, for any value', () => {
  let store: FhirStoreUnderTest;
  let user: RecordOverHttp;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  beforeEach(() => {
    user = store.user();
  });
  afterAll(() => store.stop());

  const two = (n: number): string => String(n).padStart(2, '0');

  interface WrittenDate {
    text: string;
    low: number;
    /** Exclusive. */
    end: number;
    /** How far the clock of its zone is ahead of UTC. */
    ahead?: number;
  }

  /** Years, months, days, minutes, seconds and milliseconds in zones, close enough together to meet. */
  const date: fc.Arbitrary<WrittenDate> = fc
    .record({
      precision: fc.integer({ min: 1, max: 6 }),
      year: fc.integer({ min: 1999, max: 2001 }),
      month: fc.constantFrom(1, 2, 12),
      day: fc.constantFrom(1, 28, 29, 31),
      hour: fc.constantFrom(0, 12, 23),
      minute: fc.constantFrom(0, 59),
      second: fc.constantFrom(0, 59),
      zone: fc.constantFrom(0, 2, -5),
    })
    .map(({ precision, year, month, day, hour, minute, second, zone }) => {
      const dayOfMonth = Math.min(day, new Date(Date.UTC(year, month, 0)).getUTCDate());
      const utc = Date.UTC(year, month - 1, dayOfMonth, hour - zone, minute);
      const named = `${year}-${two(month)}-${two(dayOfMonth)}T${two(hour)}:${two(minute)}`;
      const suffix = zone === 0 ? 'Z' : `${zone < 0 ? '-' : '+'}${two(Math.abs(zone))}:00`;
      const written: WrittenDate[] = [
        { text: `${year}`, low: Date.UTC(year, 0), end: Date.UTC(year + 1, 0) },
        { text: `${year}-${two(month)}`, low: Date.UTC(year, month - 1), end: Date.UTC(year, month) },
        {
          text: named.slice(0, 10),
          low: Date.UTC(year, month - 1, dayOfMonth),
          end: Date.UTC(year, month - 1, dayOfMonth + 1),
        },
        { text: `${named}${suffix}`, low: utc, end: utc + 60_000 },
        { text: `${named}:${two(second)}${suffix}`, low: utc + second * 1000, end: utc + second * 1000 + 1000 },
        {
          text: `${named}:${two(second)}.${two(minute)}0${suffix}`,
          low: utc + second * 1000 + minute * 10,
          end: utc + second * 1000 + minute * 10 + 1,
        },
      ];
      return { ...(written[precision - 1] as WrittenDate), ahead: precision > 3 ? zone * 3_600_000 : 0 };
    });

  /** What is stored, as it is compared: by the clock of its own zone with a date, and as an instant with a time. */
  const comparedWith = (asked: WrittenDate, { ahead = 0, ...stored }: WrittenDate): WrittenDate =>
    asked.text.includes('T') ? stored : { ...stored, low: stored.low + ahead, end: stored.end + ahead };

  // A second that is asked for with .000 is also that of a time which is stored to the second.
  const contains = (outer: WrittenDate, inner: WrittenDate): boolean =>
    (outer.low <= inner.low && inner.end <= outer.end) ||
    (outer.text.includes('.000') && outer.low === inner.low && inner.end === inner.low + 1000);
  const comparisons: Record<string, (stored: WrittenDate, asked: WrittenDate) => boolean> = {
    '': (stored, asked) => contains(asked, stored),
    eq: (stored, asked) => contains(asked, stored),
    ne: (stored, asked) => !contains(asked, stored),
    gt: (stored, asked) => stored.end > asked.end,
    lt: (stored, asked) => stored.low < asked.low,
    ge: (stored, asked) => stored.end > asked.end || contains(asked, stored),
    le: (stored, asked) => stored.low < asked.low || contains(asked, stored),
    sa: (stored, asked) => stored.low >= asked.end,
    eb: (stored, asked) => stored.end <= asked.low,
  };

  it('#date: every prefix, precision and zone', async () => {
    // A dateTime in a resource has seconds if it has a time; a search may leave them out.
    const stored = fc.sample(
      date.filter(({ text }) => text.length !== 17 && text.length !== 22),
      { seed, numRuns: size },
    );
    const ids = await populate(
      user,
      stored.map(({ text }) => ({
        resourceType: 'Observation',
        status: 'final',
        code: { text: 'x' },
        effectiveDateTime: text,
      })),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(comparisons)), date, async (prefix, asked) => {
        expect(await found(user, ids, `Observation?date=${prefix}${encodeURIComponent(asked.text)}`)).toEqual(
          indexesOf(stored, (each) => comparisons[prefix]?.(comparedWith(asked, each), asked) === true),
        );
      }),
      { seed, numRuns: 2 * numRuns },
    );
  });

  it('#date: periods, open or not', async () => {
    const period = fc
      .tuple(date, date, fc.constantFrom('both', 'start', 'end'))
      .filter(
        ([start, end]) => start.low <= end.low && [start, end].every(({ text }) => [10, 20, 25].includes(text.length)),
      );
    const stored = fc.sample(period, { seed, numRuns: size }).map(([start, end, kept]) => ({
      written: { ...(kept === 'end' ? {} : { start: start.text }), ...(kept === 'start' ? {} : { end: end.text }) },
      rangeFor: (asked: WrittenDate): WrittenDate => ({
        text: '',
        low: kept === 'end' ? -Infinity : comparedWith(asked, start).low,
        end: kept === 'start' ? Infinity : comparedWith(asked, end).end,
      }),
    }));
    const ids = await populate(
      user,
      stored.map(({ written }) => ({
        resourceType: 'Observation',
        status: 'final',
        code: { text: 'x' },
        effectivePeriod: written,
      })),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(comparisons)), date, async (prefix, asked) => {
        expect(await found(user, ids, `Observation?date=${prefix}${encodeURIComponent(asked.text)}`)).toEqual(
          indexesOf(stored, ({ rangeFor }) => comparisons[prefix]?.(rangeFor(asked), asked) === true),
        );
      }),
      { seed, numRuns },
    );
  });

  /** A decimal as its digits and how many of them stand behind the point. */
  const decimal = fc
    .record({ digits: fc.integer({ min: -60, max: 1200 }), places: fc.integer({ min: 0, max: 3 }) })
    .map(({ digits, places }) => {
      const whole = String(Math.abs(digits)).padStart(places + 1, '0');
      const point = whole.length - places;
      const sign = digits < 0 ? '-' : '';
      // In units of 1/20000, so that half of the last digit is a whole number.
      return {
        text: `${sign}${whole.slice(0, point)}${places > 0 ? `.${whole.slice(point)}` : ''}`,
        units: (digits * 20_000) / 10 ** places,
        half: 10_000 / 10 ** places,
      };
    });

  it('#quantity: every prefix, with the precision of the requested value, across units', async () => {
    const stored = fc.sample(fc.tuple(decimal, fc.constantFrom('g', 'mg', 'none')), { seed, numRuns: size });
    const resources = stored.map(
      ([{ text }, unit]) =>
        parseJson(
          `{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":${text}${unit === 'none' ? '' : `,"unit":"${unit}","system":"${ucum}","code":"${unit}"`}}}`,
        ) as { resourceType: string },
    );
    const ids = await populate(user, resources);
    const compare: Record<string, (value: number, asked: { units: number; half: number }) => boolean> = {
      '': (value, { units, half }) => value >= units - half && value < units + half,
      ne: (value, { units, half }) => !(value >= units - half && value < units + half),
      gt: (value, { units }) => value > units,
      lt: (value, { units }) => value < units,
      ge: (value, { units }) => value >= units,
      le: (value, { units }) => value <= units,
    };
    const unitsIn = { g: { g: 1, mg: 0.001, none: NaN }, mg: { g: 1000, mg: 1, none: NaN } };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(compare)),
        fc.oneof(decimal, fc.constantFrom(...stored.map(([value]) => value))),
        fc.constantFrom('', 'g', 'mg'),
        async (prefix, asked, unit) => {
          const query = `${prefix}${asked.text}${unit === '' ? '' : `|${ucum}|${unit}`}`;
          const expected = indexesOf(stored, ([{ units }, own]) => {
            if (unit === '') return compare[prefix]?.(units, asked) === true;
            const value = Math.round(units * unitsIn[unit as 'g' | 'mg'][own as 'g'] * 1000) / 1000;
            return !Number.isNaN(value) && compare[prefix]?.(value, asked) === true;
          });
          expect([query, await found(user, ids, `Observation?value-quantity=${encodeURIComponent(query)}`)]).toEqual([
            query,
            expected,
          ]);
        },
      ),
      { seed, numRuns: 2 * numRuns },
    );
  });

  const letters = fc
    .array(fc.constantFrom('a', 'A', 'ä', 'b', 'B', 'é', 'x', '-', ',', '$', '|', '\\'), { minLength: 1, maxLength: 5 })
    .map((chars) => chars.join(''));
  const bare = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const escaped = (text: string): string => encodeURIComponent(text.replaceAll(/[\\,$|]/g, String.raw`\$&`));

  it('#string: beginnings without case and accents, :exact, :contains, and every special character escaped', async () => {
    const stored = fc.sample(letters, { seed, numRuns: size });
    const ids = await populate(
      user,
      stored.map((family) => ({ resourceType: 'Patient', name: [{ family }] })),
    );
    const compare: Record<string, (value: string, asked: string) => boolean> = {
      '': (value, asked) => bare(value).startsWith(bare(asked)),
      ':exact': (value, asked) => value === asked,
      ':contains': (value, asked) => bare(value).includes(bare(asked)),
    };
    const asked = fc.oneof(
      letters,
      fc.constantFrom(...stored),
      fc.constantFrom(...stored).map((text) => text.slice(0, 2)),
      fc.constantFrom(...stored).map((text) => text.slice(-2)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(compare)),
        fc.array(asked, { minLength: 1, maxLength: 3 }),
        async (modifier, texts) => {
          expect(await found(user, ids, `Patient?family${modifier}=${texts.map(escaped).join(',')}`)).toEqual(
            indexesOf(stored, (value) => texts.some((text) => compare[modifier]?.(value, text) === true)),
          );
        },
      ),
      { seed, numRuns: 2 * numRuns },
    );
  });
});

import fc from 'fast-check';
import { IndexBuilder } from './build-index';
import { sortKey } from './words';
import type { SearchIndex } from './search-index';
import type { IndexedDocument } from './document-terms';

interface Given {
  name: string;
  tier?: number;
  aliases?: string[];
  addresses?: IndexedDocument['addresses'];
  affiliations?: string[];
}

/** Builds an index of the health systems; `find` returns the names of the results. */
async function indexOf(given: Given[]): Promise<{
  index: SearchIndex;
  namesOf: (result: { page: number[] }) => string[];
  numberOf: (name: string) => number;
  find: (query?: string, offset?: number, limit?: number) => string[];
}> {
  const ordered = [...given].sort((one, other) => (sortKey(one.name) < sortKey(other.name) ? -1 : 1));
  const builder = new IndexBuilder();
  for (const { name, aliases = [], addresses = [], affiliations = [], tier } of ordered)
    await builder.add({ name, aliases, addresses, affiliations }, tier);
  const index = await builder.finish();
  const namesOf = ({ page }: { page: number[] }): string[] => page.map((number) => ordered[number]!.name);
  return {
    index,
    namesOf,
    numberOf: (name) => ordered.findIndex((each) => each.name === name),
    find: (query, offset = 0, limit = 20) => namesOf(index.search(query, offset, limit)),
  };
}

const named = (...names: string[]): Given[] => names.map((name) => ({ name }));

describe('SearchIndex', () => {
  it('orders results by tier first, otherwise as without tiers, and restricts them to the lowest tiers', async () => {
    const names = Array.from(
      { length: 400 },
      (_, number) => `Clinic ${number % 7 === 0 ? 'of the Valley ' : ''}${number}`,
    );
    const tierOf = (name: string): number => (Number(/\d+$/.exec(name)![0]) * 7919) % 4;
    const plain = await indexOf(named(...names));
    const tiered = await indexOf(names.map((name) => ({ name, tier: tierOf(name) })));
    for (const query of [undefined, 'clinic', 'valley', 'clinic 37', 'clnic valey']) {
      const expected = plain.find(query, 0, 400).sort((one, other) => tierOf(one) - tierOf(other));
      expect(tiered.find(query, 0, 400)).toEqual(expected);
      expect([0, 20, 40].flatMap((offset) => tiered.find(query, offset, 20))).toEqual(expected.slice(0, 60));
      const lowest = expected.filter((name) => tierOf(name) < 2);
      for (const offset of [0, Math.max(0, lowest.length - 5), lowest.length + 3]) {
        const { total, page } = tiered.index.search(query, offset, 20, 2);
        expect(total).toBe(lowest.length);
        expect(page).toHaveLength(Math.max(0, Math.min(20, lowest.length - offset)));
      }
    }
  });

  it('lists by name without a query and with a query that has no word', async () => {
    const { find, index } = await indexOf(named('Zion', 'Éclat', 'apple', 'Mayo'));
    expect(find()).toEqual(['apple', 'Éclat', 'Mayo', 'Zion']);
    expect(find(' -- ')).toEqual(find());
    expect(find(undefined, 2, 1)).toEqual(['Mayo']);
    expect(index.search(undefined, 9_007_199_254_740_991, 20)).toEqual({ total: 4, page: [] });
  });

  it('leaves out a document that cannot be read', async () => {
    const builder = new IndexBuilder();
    const add = (name: unknown): Promise<void> =>
      builder.add({ name: name as string, aliases: [], addresses: [], affiliations: [] });
    await add('Apple Clinic');
    await expect(add(null)).rejects.toThrow(TypeError);
    await add('Zion Clinic');
    const index = await builder.finish();
    expect(index.search('zion', 0, 20)).toEqual({ total: 1, page: [1] });
    expect(index.search(undefined, 0, 20).page).toEqual([0, 1]);
  });

  it('requires the significant words; common words only affect the order', async () => {
    const { find } = await indexOf(
      named(
        'One Brooklyn Health System',
        'The Brooklyn Hospital Center',
        'NewYork-Presbyterian Brooklyn Methodist Hospital',
        'Queens Hospital',
      ),
    );
    expect(find('brooklyn hospital')).toEqual([
      'The Brooklyn Hospital Center',
      'NewYork-Presbyterian Brooklyn Methodist Hospital',
      'One Brooklyn Health System',
    ]);
    expect(find('hospital')).toHaveLength(3);
  });

  it('ranks the name that is most similar to the query first', async () => {
    const { find } = await indexOf(
      named(
        'Northern Light Mayo Hospital',
        'Mayo Clinic',
        'Mayo Clinic Health System Eau Claire',
        'Henry Mayo Newhall',
      ),
    );
    expect(find('mayo clinic')[0]).toBe('Mayo Clinic');
    expect(find('mayo clnic')[0]).toBe('Mayo Clinic');
    expect(find('mayo')[0]).toBe('Mayo Clinic');
  });

  it('ignores accents and case, and matches fuzzily and by prefix', async () => {
    const { find } = await indexOf(named('Hôpital Émile Roux', 'Cleveland Clinic', 'Kaiser Permanente'));
    expect(find('HOPITAL emile')).toEqual(['Hôpital Émile Roux']);
    for (const query of ['clevland', 'Clevelnad', 'cleve', 'clevela', 'leveland'])
      expect(find(query)).toEqual(['Cleveland Clinic']);
    for (const query of ['kiaser', 'permanete', 'kaise perm', 'permanennt kaiser', 'permne'])
      expect(find(query)).toEqual(['Kaiser Permanente']);
  });

  it('does not match short words and numbers fuzzily', async () => {
    const { find } = await indexOf([
      { name: 'Foo', addresses: [{ postalCode: '43213' }] },
      { name: 'Bar', addresses: [{ postalCode: '90210' }] },
    ]);
    expect(find('fo0')).toEqual([]);
    expect(find('fop')).toEqual([]);
    expect(find('90211')).toEqual(['Bar']);
    expect(find('80210')).toEqual([]);
  });

  it('finds by city, state and postal code, the state by abbreviation, by name and by postal code alone', async () => {
    const { find } = await indexOf([
      { name: 'Alpha', addresses: [{ city: 'Columbus', state: 'OH', postalCode: '43215' }] },
      { name: 'Beta', addresses: [{ postalCode: '43213-3031' }] },
      { name: 'Gamma', addresses: [{ city: 'New York', state: 'New York', postalCode: '10014' }] },
      { name: 'York Hospital', addresses: [{ state: 'ME' }] },
      { name: 'Delta', addresses: [{ text: '1 Rue de Rivoli, 75001 Paris' }] },
    ]);
    expect(find('columbus oh')).toEqual(['Alpha']);
    expect(find('43215')).toEqual(['Alpha', 'Beta']);
    expect(find('43213')).toEqual(['Beta', 'Alpha']);
    expect(find('43215-9999')).toEqual(['Alpha', 'Beta']);
    expect(find('43299-1234')).toEqual(['Alpha', 'Beta']);
    expect(find('beta 43215')).toEqual(['Beta']);
    expect(find('432')).toEqual(['Alpha', 'Beta']);
    expect(find('43299')).toEqual(['Alpha', 'Beta']);
    expect(find('ohio').sort()).toEqual(['Alpha', 'Beta']);
    expect(find('OH').sort()).toEqual(['Alpha', 'Beta']);
    expect(find('new york')).toEqual(['Gamma']);
    expect(find('ny')).toEqual(['Gamma']);
    expect(find('york')[0]).toBe('York Hospital');
    expect(find('paris rivoli')).toEqual(['Delta']);
  });

  it('matches words written together or apart', async () => {
    const { find } = await indexOf(named('NewYork-Presbyterian', 'Christiana Care', 'MedStar Health'));
    expect(find('new york presbyterian')).toEqual(['NewYork-Presbyterian']);
    expect(find('newyork')).toEqual(['NewYork-Presbyterian']);
    expect(find('med star')).toEqual(['MedStar Health']);
  });

  it('ranks the postal code first, then the same four digits, then the same three', async () => {
    const { find } = await indexOf(
      ['43299', '43219', '43215', '43315', '43210'].map((postalCode, number) => ({
        name: `Clinic ${number}`,
        addresses: [{ postalCode }],
      })),
    );
    expect(find('43215')).toEqual(['Clinic 2', 'Clinic 1', 'Clinic 4', 'Clinic 0']);
    expect(find('clinic 43218')).toEqual(['Clinic 1', 'Clinic 2', 'Clinic 4', 'Clinic 0']);
  });

  it('splits words with a missing space, but not misspelled or incomplete words', async () => {
    const { find } = await indexOf(
      named(
        'Mayo Clinic',
        'Cleveland Clinic',
        "St. Luke's Hospital",
        'Stan Ford Clinic',
        'Stanford Medicine',
        'Northwell Health',
        'North Wells Dental',
      ),
    );
    expect(find('mayoclinic')).toEqual(['Mayo Clinic']);
    expect(find('ClevelandClinic')).toEqual(['Cleveland Clinic']);
    expect(find('clevelandcli')).toEqual(['Cleveland Clinic']);
    expect(find('stlukes hospital')).toEqual(["St. Luke's Hospital"]);
    expect(find('hospital stlukes')).toEqual(["St. Luke's Hospital"]);
    expect(find('standford')).toEqual(['Stanford Medicine']);
    expect(find('northwel')).toEqual(['Northwell Health']);
    expect(find('mayoxyzzyx')).toEqual([]);
  });

  it('expands abbreviations', async () => {
    const { find } = await indexOf(named("St. Luke's Hosp", 'Mt Sinai Med Ctr'));
    expect(find('saint lukes hospital')).toEqual(["St. Luke's Hosp"]);
    expect(find('st luke')).toEqual(["St. Luke's Hosp"]);
    expect(find('mount sinai medical center')).toEqual(['Mt Sinai Med Ctr']);
  });

  it('ranks the name before aliases, addresses and parents', async () => {
    const { find } = await indexOf([
      { name: 'Aaa', affiliations: ['Juniper'] },
      { name: 'Bbb', addresses: [{ city: 'Juniper' }] },
      { name: 'Ccc', aliases: ['Juniper'] },
      { name: 'Juniper' },
    ]);
    expect(find('juniper')).toEqual(['Juniper', 'Ccc', 'Bbb', 'Aaa']);
  });

  it('returns the documents with most of the words when none has all', async () => {
    const { find } = await indexOf(named('Houston Methodist', 'Bright Pediatrics', 'Zebra'));
    expect(find('pediatrics houston').sort()).toEqual(['Bright Pediatrics', 'Houston Methodist']);
    expect(find('mayo xyzzyx')).toEqual([]);
    expect(find('houston xyzzyx')).toEqual(['Houston Methodist']);
  });

  it('returns stable pages, each document once, equal scores by name', async () => {
    const { index, find } = await indexOf(
      Array.from({ length: 450 }, (_, number) => ({
        name: `Clinic ${String(number).padStart(3, '0')}`,
        addresses: [{ city: 'Springfield' }],
      })),
    );
    const whole = find('springfield', 0, 1000);
    expect(whole).toEqual([...whole].sort());
    expect(index.search('springfield', 440, 20)).toMatchObject({ total: 450, page: { length: 10 } });
    fc.assert(
      fc.property(fc.nat(460), (offset) => {
        expect(find('springfield', offset)).toEqual(whole.slice(offset, offset + 20));
      }),
    );
  });

  const [newYork, chicago] = [
    { latitude: 40.7, longitude: -74 },
    { latitude: 41.9, longitude: -87.6 },
  ];
  const at = (name: string, ...postalCodes: string[]): Given => ({
    name,
    addresses: postalCodes.map((postalCode) => ({ postalCode })),
  });

  it('lists by tier, then by distance, those without a position last, then by name', async () => {
    const { index, namesOf } = await indexOf([
      at('Chicago', '60602'),
      at('Newark', '07102'),
      at('Brooklyn B', '11201-1234'),
      at('Brooklyn A', '112011234'),
      at('Everywhere', '96813', '60602'),
      { name: 'Berlin', addresses: [{ postalCode: '10115', country: 'DE' }] },
      at('Unknown', '9999', 'Denver'),
      at('Nowhere'),
      { ...at('Manhattan, unavailable', '10001'), tier: 1 },
      { ...at('Nowhere, unavailable'), tier: 1 },
    ]);
    for (const query of [undefined, '', ' -- '])
      expect(namesOf(index.search(query, 0, 20, 4, newYork))).toEqual([
        'Brooklyn A',
        'Brooklyn B',
        'Newark',
        'Chicago',
        'Everywhere',
        'Berlin',
        'Nowhere',
        'Unknown',
        'Manhattan, unavailable',
        'Nowhere, unavailable',
      ]);
    expect(namesOf(index.search(undefined, 0, 2, 4, chicago))).toEqual(['Chicago', 'Everywhere']);
    expect(index.search(undefined, 7, 20, 1, newYork)).toEqual({ total: 8, page: [expect.any(Number)] });
    expect(index.search(undefined, 20, 20, 4, newYork)).toEqual({ total: 10, page: [] });
  });

  it('knows distances, also of postal codes without an area', async () => {
    const { index, numberOf } = await indexOf([
      at('Brooklyn', '11201'),
      at('Honolulu and Chicago', '96813', '60602'),
      at('Box in Manhattan', '10008'),
      at('Nowhere', '00000'),
    ]);
    const distance = index.distancesFrom(newYork);
    expect(distance(numberOf('Brooklyn'))).toBe(1);
    expect(distance(numberOf('Honolulu and Chicago'))).toBe(1145);
    expect(distance(numberOf('Box in Manhattan'))).toBe(8);
    expect(distance(numberOf('Nowhere'))).toBe(Infinity);
    expect(index.distancesFrom({ latitude: -40.7, longitude: 106 })(numberOf('Brooklyn'))).toBeGreaterThan(20_000);
  });

  it('puts the nearer one first among those that match about equally well, and only among them', async () => {
    const given = [
      at('Mercy Clinic', '60602'),
      at('Mercy Clinic', '10001'),
      at('Mercy Clinic'),
      at('Mercy Clinic of the Lower East Side', '10002'),
    ];
    const { index } = await indexOf(given);
    const orderFrom = (near?: typeof newYork): string[] =>
      index.search('mercy clinic', 0, 20, 4, near).page.map((number) => given[number]!.addresses![0]?.postalCode ?? '');
    expect(orderFrom()).toEqual(['60602', '10001', '', '10002']);
    expect(orderFrom(newYork)).toEqual(['10001', '60602', '', '10002']);
    expect(orderFrom(chicago)).toEqual(['60602', '10001', '', '10002']);
  });

  it('caches the results of each position of its own, and returns stable pages of them', async () => {
    const zips = ['10001', '11201', '60602', '94103', '07102', '96813', '73301'];
    const given = Array.from({ length: 450 }, (_, number) => ({
      ...at(`Clinic ${String(number).padStart(3, '0')}`, ...(number % 9 === 8 ? [] : [zips[number % zips.length]!])),
      tier: number % 4,
    }));
    const { index } = await indexOf(given);
    const losAngeles = { latitude: 34, longitude: -118.2 };
    for (const query of [undefined, 'clinic']) {
      const all = [undefined, newYork, chicago, losAngeles].map((each) => index.search(query, 0, 1000, 4, each).page);
      expect(new Set(all.map(String)).size).toBe(4);
      for (const page of all) expect(new Set(page).size).toBe(given.length);
      fc.assert(
        fc.property(fc.nat(3), fc.nat(460), (which, offset) => {
          const position = [undefined, newYork, chicago, losAngeles][which];
          expect(index.search(query, offset, 20, 4, position).page).toEqual(all[which]!.slice(offset, offset + 20));
        }),
      );
    }
  });

  it('accepts any query', async () => {
    const { index } = await indexOf([
      { name: 'Mayo Clinic', aliases: ['ß'], addresses: [{ city: 'Zürich' }] },
      { name: '日本 病院' },
      { name: '𝔄lpha 😀' },
    ]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.nat(5), (query, offset) => {
        const { total, page } = index.search(query, offset, 20);
        expect(page.length).toBe(Math.max(0, total - offset));
      }),
      { numRuns: 500 },
    );
    expect(index.search('病院', 0, 20).total).toBe(1);
  });

  it('returns nothing from an empty index', async () => {
    const { index } = await indexOf([]);
    expect(index.search('mayo', 0, 20)).toEqual({ total: 0, page: [] });
    expect(index.search(undefined, 0, 20)).toEqual({ total: 0, page: [] });
  });
});

import { bareQuery } from './bare-directory';
import { bundleText } from './brands-bundle';
import { syntheticSystem } from './synthetic-system';
import { typedQuery } from './queries';
import { cities } from './words';

interface Entry {
  fullUrl: string;
  resource: {
    resourceType: string;
    id: string;
    name: string;
    address: string | { city: string; state: string; postalCode: string }[];
    endpoint?: { reference: string }[];
  };
}

const count = 2000;
const systems = Array.from({ length: count }, (_, number) => syntheticSystem(number));

describe('the generated directory of a country', () => {
  it('is the same in every run, with realistic names', () => {
    expect(systems.map(({ name }) => name)).toEqual(
      Array.from({ length: count }, (_, number) => syntheticSystem(number).name),
    );
    expect(new Set(systems.map(({ name }) => name)).size).toBeGreaterThan(count * 0.8);
    expect(
      systems.every(
        ({ name, distinctiveWord, postalCode }) => name.includes(distinctiveWord) && /^\d{5}$/.test(postalCode),
      ),
    ).toBe(true);
    expect(
      cities.every(({ name, state, area }) => name !== '' && /^[A-Z]{2}$/.test(state) && /^\d{3}$/.test(area)),
    ).toBe(true);
    expect(new Set(systems.map(({ city }) => city)).size).toBe(cities.length);
  });

  it('is a Bundle in which every reference has a target', () => {
    const { entry } = JSON.parse([...bundleText(count)].join('')) as { entry: Entry[] };
    const organizations = entry.filter(({ resource }) => resource.resourceType === 'Organization');
    const endpoints = new Set(
      entry
        .filter(({ resource }) => resource.resourceType === 'Endpoint')
        .map(({ resource }) => `Endpoint/${resource.id}`),
    );
    expect(organizations).toHaveLength(count);
    expect(new Set(entry.map(({ fullUrl }) => fullUrl)).size).toBe(entry.length);
    expect(
      organizations
        .flatMap(({ resource }) => resource.endpoint?.map(({ reference }) => reference) ?? [])
        .every((reference) => endpoints.has(reference)),
    ).toBe(true);
    expect(organizations[7]?.resource).toMatchObject({
      name: systems[7]?.name,
      address: [{ city: systems[7]?.city.name, postalCode: systems[7]?.postalCode }],
    });
  });
});

describe('typedQuery', () => {
  it('generates the same queries in every run, of many kinds and with few duplicates', () => {
    const typed = Array.from({ length: count }, (_, number) => typedQuery(number, count));
    expect(typed).toEqual(Array.from({ length: count }, (_, number) => typedQuery(number, count)));
    expect(new Set(typed).size).toBeGreaterThan(count * 0.75);
    expect(typed.every((query) => query.trim().length > 0)).toBe(true);
    expect(typed.some((query) => /^\d{5}$/.test(query))).toBe(true);
    expect(typed.some((query) => systems.some(({ name }) => name === query))).toBe(true);
  });

  it('is converted to a tsquery of all words, the last as a prefix', () => {
    expect(bareQuery("st. mary's (clin")).toMatchObject([
      { method: 'GET', path: `/directory/${encodeURIComponent('st & mary & s & clin:*')}` },
    ]);
  });
});

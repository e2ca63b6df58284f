import { type Options, parseOptions, scenarioNames } from './options';

const parsed = (...words: string[]): Options => {
  const options = parseOptions(words, {});
  if (options === 'help') throw new Error('help was not asked for');
  return options;
};

describe('options', () => {
  it('measures everything by default', () => {
    expect(parsed()).toMatchObject({
      users: 1000,
      resources: 300,
      connections: 16,
      seconds: 5,
      systems: 100_000,
      portBase: 24_000,
      tls: false,
      audit: true,
      running: false,
    });
    expect([...parsed().only]).toEqual([...scenarioNames]);
    expect([...parsed('--only', 'read, search').only]).toEqual(['read', 'search']);
    expect(parseOptions(['--help'], {})).toBe('help');
    expect(parseOptions([], { PORT_BASE: '30000' })).toMatchObject({ portBase: 30_000 });
  });

  it.each([
    [['--only', 'write'], /--only: there is no "write"; there are ingest, /],
    [['--users', '0'], /--users must be a whole number from 1/],
    [['--tls', '--running'], /--tls starts a suite, and --running uses one/],
    [['--replicas', '2', '--running'], /--replicas starts a suite, and --running uses one/],
    [['--no-audit', '--running'], /--no-audit starts a suite, and --running uses one/],
    [['--seconds', '1.5'], /--seconds must be/],
    [['--profile', 'postgres'], /--profile: there is no "postgres"/],
    [['--fast'], /--fast/],
  ])('refuses %j', (words, message) => {
    expect(() => parseOptions(words, {})).toThrow(message);
  });
});

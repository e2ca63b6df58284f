import { faultNames } from './faults/catalogue';
import { plainForm } from './history/form';
import { parseOptions } from './options';

it('selects every fault by default', () => {
  expect(parseOptions([])).toEqual({ only: faultNames, seed: undefined, seconds: undefined, form: plainForm });
  expect(new Set(faultNames).size).toBe(faultNames.length);
});

it('reads the options', () => {
  expect(parseOptions(['--only', 'kill-auth, rolling', '--seed', '7', '--seconds', '3'])).toEqual({
    only: ['kill-auth', 'rolling'],
    seed: 7,
    seconds: 3,
    form: plainForm,
  });
  expect(parseOptions(['--redis', 'cluster', '--pgbouncer', '--read-replica', '--object-storage'])).toMatchObject({
    form: { redis: 'cluster', pgbouncer: true, readReplica: true, objectStorage: true },
  });
  expect(parseOptions(['--help'])).toBe('help');
});

it('names the invalid option', () => {
  expect(() => parseOptions(['--only', 'kill-everything'])).toThrow('there is no "kill-everything"');
  expect(() => parseOptions(['--seconds', '0'])).toThrow('--seconds must be a whole number from 1 to 86400');
  expect(() => parseOptions(['--seconds=-1'])).toThrow('--seconds');
  expect(() => parseOptions(['--redis', 'ring'])).toThrow('--redis must be one of server, sentinel, cluster');
});

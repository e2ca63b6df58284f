import { faultNames } from './faults/catalogue';
import { parseOptions } from './options';

it('selects every fault by default', () => {
  expect(parseOptions([], {})).toEqual({ only: faultNames, seed: 1, seconds: 20, json: undefined, portBase: 27_000 });
  expect(new Set(faultNames).size).toBe(faultNames.length);
});

it('reads the options', () => {
  expect(
    parseOptions(['--only', 'kill-auth, rolling', '--seed', '7', '--seconds', '3', '--json', 'out.json'], {
      PORT_BASE: '5000',
    }),
  ).toEqual({ only: ['kill-auth', 'rolling'], seed: 7, seconds: 3, json: 'out.json', portBase: 5000 });
  expect(parseOptions(['--help'], {})).toBe('help');
});

it('names the invalid option', () => {
  expect(() => parseOptions(['--only', 'kill-everything'], {})).toThrow('there is no "kill-everything"');
  expect(() => parseOptions(['--seconds', '0'], {})).toThrow('--seconds must be a whole number from 1 to 600');
  expect(() => parseOptions(['--seconds=-1'], {})).toThrow('--seconds');
});

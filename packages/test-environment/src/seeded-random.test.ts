import Environment from '../environment';
import { seededRandom } from './seeded-random';

const take = (random: () => number): number[] => Array.from({ length: 1000 }, () => random());

it('repeats its numbers, which are between 0 and 1', () => {
  const numbers = take(seededRandom());
  expect(take(seededRandom())).toEqual(numbers);
  expect(numbers.every((n) => n >= 0 && n < 1)).toBe(true);
  expect(new Set(numbers).size).toBe(1000);
});

it('is named by the seed in a failure of a file that uses it', async () => {
  const environment = new Environment({ projectConfig: {} });
  process.env['TEST_SEED'] = '7';
  Reflect.deleteProperty(globalThis, 'usesTestSeed');
  const stack = (): string | undefined => {
    const error = new Error('failed');
    environment.handleTestEvent({ name: 'test_fn_failure', error });
    return error.stack;
  };
  expect(stack()).toMatch(/^Error: failed/);
  seededRandom();
  expect(stack()).toMatch(/^TEST_SEED=7: Error: failed/);
  await environment.teardown();
});

it('has the seed of the run in common with fast-check', async () => {
  const { readConfigureGlobal } = await import('fast-check');
  expect(readConfigureGlobal()).toEqual({ seed: Number(process.env['TEST_SEED']) });
});

import { Random } from './random';

it('returns the same numbers for the same seed only', () => {
  const draw = (seed: number): number[] => {
    const random = new Random(seed);
    return Array.from({ length: 20 }, () => random.below(1000));
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  expect(draw(3).every((number) => number >= 0 && number < 1000)).toBe(true);
});

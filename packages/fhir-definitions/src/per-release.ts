import type { Release } from './release';

/**
 * A function that loads what belongs to a release when it is first called for that release, and returns the same object
 * from then on.
 */
export function perRelease<T, R extends Release = Release>(load: (release: R) => T): (release: R) => T {
  const loaded = new Map<R, T>();
  return (release) => {
    const known = loaded.get(release);
    if (known !== undefined) return known;
    const value = load(release);
    loaded.set(release, value);
    return value;
  };
}

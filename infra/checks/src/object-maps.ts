import type { Problem } from './find-problems';

/** Sources that run in services and packages. In tests, the keys come from the test itself. */
export function hasMaps(path: string): boolean {
  return /^(?:services|packages)\/[^/]+\/src\/.*(?<!\.test)\.ts$/.test(path) && !/\/tables\//.test(path);
}

/**
 * Finds constants of modules that are objects with any text as a key. With `satisfies` in place of the type, the
 * compiler refuses other keys than those of the object.
 */
export function findObjectMaps(text: string): Problem[] {
  return text.split('\n').flatMap((line, index) => {
    const [, name] = /^(?:export )?const (\w+): [^(=]*\bRecord<string,.* = \{/.exec(line) ?? [];
    return name === undefined
      ? []
      : [
          {
            line: index + 1,
            problem: `make ${name} a Map: an object also has the keys of Object.prototype, such as "constructor"`,
          },
        ];
  });
}

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import parseExpression, { type Info } from 'spdx-expression-parse';
import { z } from 'zod';
import type { LockedPackage } from './lock-file';

/** licences.json: which licences are accepted. */
export const licencePolicy = z.strictObject({
  /** SPDX identifiers for every package. */
  production: z.array(z.string()),
  /** Further ones for packages that are only used to develop and test. */
  development: z.array(z.string()),
  /** Packages without an SPDX expression in their package.json, whose licence a person has read. */
  exceptions: z.array(
    z.strictObject({
      package: z.string(),
      version: z.string(),
      reason: z.string().min(20),
      /** The file of the package that states the licence, and its SHA-256 in hexadecimal. */
      file: z.string(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});
export type LicencePolicy = z.infer<typeof licencePolicy>;

/**
 * Finds the packages whose licence is not accepted, and the exceptions that no package needs any more.
 * @param readText returns a file of an installed package; undefined when it is not there
 */
export function findLicenceProblems(
  packages: readonly LockedPackage[],
  policy: LicencePolicy,
  readText: (path: string) => Buffer | undefined,
): string[] {
  const unused = new Set(policy.exceptions);
  const problems = packages.flatMap((locked) => {
    const accepted = locked.isForDevelopment ? [...policy.production, ...policy.development] : policy.production;
    if (satisfies(locked.licence, new Set(accepted))) return [];
    const at = `${locked.name}@${locked.version}${locked.isForDevelopment ? ' (development)' : ''}`;
    const exception = policy.exceptions.find((one) => one.package === locked.name && one.version === locked.version);
    if (!exception) return `${at}: the licence ${locked.licence || '(none is stated)'} is not accepted`;
    unused.delete(exception);
    const text = readText(join(locked.path, exception.file));
    if (!text) return `${at}: its file ${exception.file} is missing`;
    const sha256 = createHash('sha256').update(text).digest('hex');
    return sha256 === exception.sha256
      ? []
      : `${at}: ${exception.file} has changed since its licence was read; its SHA-256 is ${sha256}`;
  });
  return [
    ...problems,
    ...[...unused].map(
      (one) => `${one.package}@${one.version}: no package needs this exception; remove it from licences.json`,
    ),
  ];
}

/** Reads the files of packages below a folder. */
export function filesBelow(repository: string): (path: string) => Buffer | undefined {
  return (path) => {
    const file = join(repository, path);
    return existsSync(file) ? readFileSync(file) : undefined;
  };
}

/**
 * Whether a licence expression of SPDX can be satisfied with accepted licences alone. `OR` needs one side, `AND` both;
 * an identifier with an exception (`WITH`) or `+` must be accepted as a whole.
 */
function satisfies(expression: string, accepted: ReadonlySet<string>): boolean {
  let parsed: Info;
  try {
    parsed = parseExpression(expression);
  } catch {
    return false;
  }
  const holds = (part: Info): boolean => {
    if ('conjunction' in part)
      return part.conjunction === 'or' ? holds(part.left) || holds(part.right) : holds(part.left) && holds(part.right);
    const name = `${part.license}${part.plus ? '+' : ''}${part.exception ? ` WITH ${part.exception}` : ''}`;
    return accepted.has(name);
  };
  return holds(parsed);
}

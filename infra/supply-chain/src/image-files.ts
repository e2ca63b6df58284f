import type { LockedPackage } from './lock-file';

/** Programs that install or build software. */
const tools =
  /\/(?:s?bin|libexec)\/(?:npm|npx|corepack|yarn|yarnpkg|pnpm|node-gyp|gcc|g\+\+|cc|c\+\+|clang|ld|make|python3?)$/;
/** Sources and tests of the suite itself. */
const ownSources = /^\/suite\/(?:packages|services|infra)\/[^/]+\/(?:src|web|test|bench|scripts|example)\//;
const ownTypeScript = /^\/suite\/(?!(?:.*\/)?node_modules\/).*(?<!\.d)\.ts$/;
/** The folder of the package that a file belongs to. */
const packageFolder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/@.][^/]*(?=\/)/;
/** The folder of the workspace that a file belongs to. */
const workspaceFolder = /^\/suite\/(?:packages|services|infra)\/[^/]+(?=\/)/;

/**
 * Finds files that the image of a service may not contain: tools that install or build, sources and tests of the suite,
 * and packages that the service does not need.
 * @param files absolute paths of the files of the image
 * @param needed the workspace of the service and the packages that it needs at run time
 */
export function findForbiddenFiles(files: readonly string[], needed: Iterable<LockedPackage>): string[] {
  const allowed = new Set([...needed].map(({ path }) => `/suite/${path}`));
  const forbidden = new Set<string>();
  for (const file of files) {
    if ([tools, ownSources, ownTypeScript].some((rule) => rule.test(file))) forbidden.add(file);
    const folder = (packageFolder.exec(file) ?? workspaceFolder.exec(file))?.[0];
    if (folder !== undefined && !allowed.has(folder)) forbidden.add(folder);
  }
  return [...forbidden].sort();
}

import type { LockedPackage } from './lock-file';

/** Programs that install or build software. */
const tools =
  /\/(?:s?bin|libexec)\/(?:npm|npx|corepack|yarn|yarnpkg|pnpm|node-gyp|gcc|g\+\+|cc|c\+\+|clang|ld|make|python3?)$/;
/** Sources and tests of the suite itself. */
const ownSources = /^\/suite\/(?:packages|services|infra)\/[^/]+\/(?:src|test|bench|scripts|example|upgrade)\//;
const ownTypeScript = /^\/suite\/(?!(?:.*\/)?node_modules\/).*(?<!\.d)\.ts$/;
const testSupport = /^\/suite\/packages\/(?:test-environment|local-databases)\//;
/** The folder of the package that a file belongs to. */
const packageFolder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/@.][^/]*(?=\/)/;

/**
 * Finds files that no image of a service may contain: tools that install or build, sources and tests of the suite, and
 * packages that are only used for development.
 * @param files absolute paths of the files of an image
 */
export function findForbiddenFiles(files: readonly string[], packages: readonly LockedPackage[]): string[] {
  const development = new Set(packages.filter((one) => one.isForDevelopment).map((one) => `/suite/${one.path}`));
  const forbidden = new Set<string>();
  for (const file of files) {
    if ([tools, ownSources, ownTypeScript, testSupport].some((rule) => rule.test(file))) forbidden.add(file);
    const folder = packageFolder.exec(file)?.[0];
    if (folder && (!folder.startsWith('/suite/') || development.has(folder))) forbidden.add(folder);
  }
  return [...forbidden].sort();
}

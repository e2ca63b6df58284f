import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { LockFile, LockedPackage } from './lock-file';

/** What no program reads in packages of npm: declarations, sources in TypeScript, source maps and documents. */
const unread = /\.(?:[cm]?tsx?|map|md|markdown|flow)$/i;
/** What no program reads in workspaces: declarations and source maps. */
const unreadInWorkspaces = /\.(?:d\.[cm]?ts|map)$/;
/** Licences are passed on with the packages. */
const licence = /^(?:licen[cs]e|notice|copying)/i;

/**
 * Copies a built workspace and what it needs at run time, where Node.js finds it: the files of its image. Other
 * workspaces and packages of the repository are left out.
 * @param from the root of the repository, with all packages installed
 */
export function copyImageTree(lock: LockFile, root: LockedPackage, from: string, to: string): void {
  for (const one of lock.withNeeds(root)) {
    cpSync(join(from, one.path), join(to, one.path), {
      recursive: true,
      filter: (file) => isPartOf(one, basename(file)),
    });
    for (const link of lock.linksTo(one)) {
      mkdirSync(dirname(join(to, link)), { recursive: true });
      symlinkSync(relative(dirname(link), one.path), join(to, link));
    }
  }
}

/** Packages in `node_modules` of a package are copied on their own, if they are needed. */
function isPartOf({ isWorkspace }: LockedPackage, name: string): boolean {
  if (name === 'node_modules') return false;
  return licence.test(name) || !(isWorkspace ? unreadInWorkspaces : unread).test(name);
}

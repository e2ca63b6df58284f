import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const names = z.record(z.string(), z.string()).default({});

/** An entry of package-lock.json (lockfileVersion 3), by the folder of the package. */
const entry = z.object({
  name: z.string().optional(),
  version: z.string().default(''),
  license: z.string().default(''),
  dev: z.boolean().default(false),
  link: z.boolean().default(false),
  resolved: z.string().optional(),
  dependencies: names,
  peerDependencies: names,
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().default(false) })).default({}),
});
const lockFile = z.object({ packages: z.record(z.string(), entry) });

/** A package of the lock file: one of npm, or a workspace of the repository. */
export interface LockedPackage {
  name: string;
  version: string;
  /** Its folder, relative to the root of the repository. */
  path: string;
  /** The field `license` of its package.json; empty without one. */
  licence: string;
  /** Whether no production code of the suite needs it. */
  isForDevelopment: boolean;
  isWorkspace: boolean;
  /** The names of the packages that it needs at run time, without optional ones. */
  needs: string[];
}

const modules = 'node_modules/';

/** package-lock.json: what is installed where. */
export class LockFile {
  readonly #packages: ReadonlyMap<string, LockedPackage>;
  /** The folders that links of workspaces lead to. */
  readonly #links: ReadonlyMap<string, string>;

  /** @throws ZodError when the text is no package-lock.json */
  constructor(text: string) {
    const entries = Object.entries(lockFile.parse(JSON.parse(text)).packages).filter(([path]) => path !== '');
    this.#links = new Map(entries.flatMap(([path, { link, resolved }]) => (link ? [[path, resolved ?? '']] : [])));
    this.#packages = new Map(
      entries
        .filter(([, { link }]) => !link)
        .map(([path, one]) => [
          path,
          {
            name: one.name ?? path.slice(path.lastIndexOf(modules) + modules.length),
            version: one.version,
            path,
            licence: one.license,
            isForDevelopment: one.dev,
            isWorkspace: !path.includes(modules),
            needs: [
              ...Object.keys(one.dependencies),
              ...Object.keys(one.peerDependencies).filter((name) => !one.peerDependenciesMeta[name]?.optional),
            ],
          },
        ]),
    );
  }

  /** The packages of npm. */
  get packages(): LockedPackage[] {
    return [...this.#packages.values()].filter(({ isWorkspace }) => !isWorkspace);
  }

  /** @throws Error when there is no workspace in this folder, relative to the root of the repository */
  workspace(folder: string): LockedPackage {
    const found = this.#packages.get(folder);
    if (!found?.isWorkspace) throw new Error(`package-lock.json has no workspace ${folder}`);
    return found;
  }

  /** The package itself, and all packages that it needs at run time. @throws Error when one is missing */
  withNeeds(root: LockedPackage): ReadonlySet<LockedPackage> {
    const reached = new Set([root]);
    for (const one of reached) for (const needed of this.neededBy(one)) reached.add(needed);
    return reached;
  }

  /** The links to a workspace below `node_modules`. */
  linksTo({ path }: LockedPackage): string[] {
    return [...this.#links].flatMap(([link, folder]) => (folder === path ? [link] : []));
  }

  /**
   * The packages that a package needs at run time, as Node.js finds them from its folder.
   * @throws Error when one is missing
   */
  neededBy(one: LockedPackage): LockedPackage[] {
    return one.needs.map((name) => {
      for (let folder = `${one.path}/`; ; folder = parentOf(folder)) {
        const path = `${folder}${modules}${name}`;
        const found = this.#packages.get(this.#links.get(path) ?? path);
        if (found) return found;
        if (folder === '') throw new Error(`package-lock.json lacks ${name}, which ${one.name} needs`);
      }
    });
  }
}

/** The folder above, with its slash; empty for the root. */
function parentOf(folder: string): string {
  return folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
}

/** The lock file of the repository in the folder. */
export function readLockFile(repository: string): LockFile {
  return new LockFile(readFileSync(join(repository, 'package-lock.json'), 'utf8'));
}

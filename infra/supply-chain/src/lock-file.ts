import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const names = z.record(z.string(), z.string()).default({});
const platforms = z.array(z.string()).optional();

/** An entry of package-lock.json (lockfileVersion 3), by the folder of the package. */
const entry = z.object({
  name: z.string().optional(),
  version: z.string().default(''),
  license: z.string().default(''),
  dev: z.boolean().default(false),
  link: z.boolean().default(false),
  resolved: z.string().optional(),
  dependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().default(false) })).default({}),
  os: platforms,
  cpu: platforms,
  libc: platforms,
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
  /** The names of the packages that it needs at run time. */
  needs: string[];
  /** The names of its optional dependencies, among them the build of a native package for each platform. */
  mayUse: string[];
  /** Whether it is the build of a native package for the platform of the images: Linux with glibc, this processor. */
  isImageBuild: boolean;
}

const modules = 'node_modules/';

const isImageBuild = ({ os, cpu, libc = ['glibc'] }: z.output<typeof entry>): boolean =>
  os?.includes('linux') === true && cpu?.includes(process.arch) === true && libc.includes('glibc');

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
            mayUse: Object.keys(one.optionalDependencies),
            isImageBuild: isImageBuild(one),
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
   * The packages that a package needs at run time, as Node.js finds them from its folder. Of optional ones, it is the
   * build of a native package for the platform of the images.
   * @throws Error when one is missing
   */
  neededBy(one: LockedPackage): LockedPackage[] {
    const builds = one.mayUse.flatMap((name) => this.#find(name, one) ?? []).filter((found) => found.isImageBuild);
    const needed = one.needs.map((name) => {
      const found = this.#find(name, one);
      if (!found) throw new Error(`package-lock.json lacks ${name}, which ${one.name} needs`);
      return found;
    });
    return [...needed, ...builds];
  }

  #find(name: string, { path: from }: LockedPackage): LockedPackage | undefined {
    for (let folder = `${from}/`; ; folder = parentOf(folder)) {
      const path = `${folder}${modules}${name}`;
      const found = this.#packages.get(this.#links.get(path) ?? path);
      if (found || folder === '') return found;
    }
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

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Folders that are installed, generated or private to a machine. */
const skippedFolders = new Set(['node_modules', 'dist', '.git', '.nx', '.tributary']);

/** What the documentation can name. All paths are relative to the root and use `/`. */
export interface Repository {
  root: string;
  /** The Markdown files. */
  markdown: readonly string[];
  /** All files. */
  files: readonly string[];
  /** Files and folders; the path of a folder ends with `/`. */
  paths: ReadonlySet<string>;
  /** The project that a path belongs to, such as `services/auth`. */
  projectOf(path: string): string | undefined;
  /** Whether the package.json of a folder has an npm script. */
  hasScript(folder: string, script: string): boolean;
  /** Whether npx finds a program among the installed packages. */
  hasProgram(name: string): boolean;
}

export function openRepository(root: string): Repository {
  const files = [...walk(root)].map((file) => relative(root, file).split(sep).join('/'));
  return {
    root,
    markdown: files.filter((file) => file.endsWith('.md')),
    files,
    paths: new Set(files.flatMap(withFolders)),
    projectOf(path) {
      const [parent = '', project = ''] = path.split('/');
      return project !== '' && existsSync(join(root, parent, project, 'package.json'))
        ? `${parent}/${project}`
        : undefined;
    },
    hasScript(folder, script) {
      const file = join(root, folder, 'package.json');
      if (!existsSync(file)) return false;
      const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { scripts?: Record<string, string> };
      return scripts?.[script] !== undefined;
    },
    hasProgram: (name) => existsSync(join(root, 'node_modules', '.bin', name)),
  };
}

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (skippedFolders.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else yield path;
  }
}

function withFolders(path: string): string[] {
  const parts = path.split('/');
  return [path, ...parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)];
}

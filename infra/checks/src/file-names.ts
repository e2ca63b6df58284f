import { posix } from 'node:path';
import type { Repository } from './repository';

/** A code span that is a path: with a folder and an extension of a source file, or below one of the top folders. */
const sourceFile = /^[\w.@{},*/-]*\.(?:ts|mts|mjs|cjs|md|sql|sh|cfg)$/;
const dataFile = /^[\w.@{},*/-]*\/[\w.@{},*-]*\.(?:js|json|ya?ml)$/;
const repositoryPath = /^(?:packages|services|infra|\.ci|\.github)\/[\w.@{},*/-]+$/;
/** A placeholder of a public address, such as `{base_url}/openapi.json`. */
const address = /^\{\w+\}\//;
const generated = /(?:^|\/)(?:dist|node_modules)\//;

/**
 * Whether a code span names a file or folder that exists: by its path from the root or from the Markdown file, or by
 * the end of its path in the same project, which may begin with `../`. Braces and `*` have their meaning of the shell.
 * @param folder the folder of the Markdown file
 * @returns undefined when the code span is not a path, or one of generated files
 */
export function namesFile(code: string, folder: string, repository: Repository): boolean | undefined {
  const path = code.trim().replace(/:\d+$/, '');
  if (address.test(path)) return undefined;
  if (![sourceFile, dataFile, repositoryPath].some((shape) => shape.test(path)) || generated.test(path))
    return undefined;
  const project = repository.projectOf(folder);
  return expandBraces(path).every((one) => exists(posix.normalize(one), folder, project, repository));
}

function exists(path: string, folder: string, project: string | undefined, { paths }: Repository): boolean {
  const end = patternOf(path.replace(/^(?:\.\.\/)+/, '').replace(/\/$/, ''));
  const fromRoot = new RegExp(`^${end}/?$`);
  const fromFolder = new RegExp(`^${patternOf(folder)}/${end}/?$`);
  const inProject = new RegExp(`^(?:${project === undefined ? '' : `${patternOf(project)}/`})(?:.*/)?${end}/?$`);
  for (const known of paths) if (fromRoot.test(known) || fromFolder.test(known) || inProject.test(known)) return true;
  return false;
}

function patternOf(path: string): string {
  return path
    .replaceAll(/[.+?^$()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\*+/g, (stars) => (stars.length > 1 ? '.*' : '[^/]*'));
}

/** `{a,b}.ts` stands for `a.ts` and `b.ts`. */
function expandBraces(path: string): string[] {
  const braces = /\{([^{}]*)\}/.exec(path);
  if (!braces) return [path];
  const [whole, choices = ''] = braces;
  return choices.split(',').flatMap((choice) => expandBraces(path.replace(whole, choice.trim())));
}

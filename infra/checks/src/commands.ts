import { posix } from 'node:path';
import type { Repository } from './repository';

/** Where a command is run. */
interface CommandContext {
  /** The folder of the Markdown file. */
  folder: string;
  /** The folder that an earlier command entered, relative to the root, to the project or to the Markdown file. */
  workingFolder: string | undefined;
}

/**
 * Says what is wrong with an `npm`, `npx`, `node` or `cd` command: the script, program or folder that does not exist.
 */
export function findCommandProblem(
  command: string,
  { folder, workingFolder }: CommandContext,
  repository: Repository,
): string | undefined {
  const [program, ...words] = command.trim().split(/\s+/);
  const starts = ['.', repository.projectOf(folder) ?? '.', folder];
  const folders = workingFolder === undefined ? starts : starts.map((start) => posix.join(start, workingFolder));
  switch (program) {
    case 'cd':
      return findFolderProblem(words[0], folders, repository);
    case 'npm':
      return findNpmProblem(words, folders, repository);
    case 'npx':
      return findProgramProblem(words, repository);
    case 'node':
      return findScriptProblem(words, folders, repository);
    default:
      return undefined;
  }
}

function findFolderProblem(folder: string | undefined, starts: string[], { paths }: Repository): string | undefined {
  if (folder === undefined || /^[$~<-]/.test(folder)) return undefined;
  const candidates = starts.map((start) => posix.join(start, folder).replace(/\/?$/, '/'));
  return candidates.some((path) => path === './' || path.startsWith('../') || paths.has(path))
    ? undefined
    : `there is no folder ${folder}`;
}

function findNpmProblem(words: string[], folders: string[], repository: Repository): string | undefined {
  const [command, name] = words.filter((word) => !word.startsWith('-'));
  const script = command === 'run' ? name : command === 'start' || command === 'test' ? command : undefined;
  if (script === undefined || folders.some((folder) => repository.hasScript(folder, script))) return undefined;
  return `there is no npm script ${script}`;
}

function findProgramProblem(words: string[], repository: Repository): string | undefined {
  const name = words.find((word) => !word.startsWith('-'));
  if (name === undefined || words.includes('-p') || repository.hasProgram(name)) return undefined;
  return `npx finds no program ${name}`;
}

function findScriptProblem(words: string[], folders: string[], { paths }: Repository): string | undefined {
  const script = words.find((word) => !word.startsWith('-'));
  if (!script || !/\.[mc]?js$/.test(script) || /(?:^|\/)dist\//.test(script)) return undefined;
  return folders.some((folder) => paths.has(posix.join(folder, script))) ? undefined : `there is no script ${script}`;
}

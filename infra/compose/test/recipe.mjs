import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The commands that a document tells an operator to type in: the blocks of code after the comment `<!-- MARK -->`.
 * @param {string} file a Markdown file
 * @param {string} mark
 */
export function recipeOf(file, mark) {
  const marked = new RegExp(`^( *)<!-- ${mark} -->\\n *\`\`\`sh\\n([^]*?)\\n *\`\`\``, 'gm');
  const blocks = [...readFileSync(file, 'utf8').matchAll(marked)];
  return blocks.map(([, indent, block]) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}

/** Copies the files of the repository as a clone has them, so that the commands may write there. */
export function copyRepository(repository, folder) {
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repository,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  if (listed.status !== 0) throw new Error('git ls-files failed');
  for (const file of listed.stdout.split('\0').filter(Boolean)) cpSync(join(repository, file), join(folder, file));
}

/**
 * Runs the commands as one script, which ends at the first failure.
 * @param {string[]} blocks
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, timeout: number }} options
 * @throws Error when a command fails
 */
export function runRecipe(blocks, options) {
  const carefully = ['set -eEu -o pipefail', `trap 'echo "failed: $BASH_COMMAND" >&2' ERR`];
  const { status, error } = spawnSync('bash', ['-c', [...carefully, ...blocks].join('\n')], {
    ...options,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error(`the commands of the document failed${error ? `: ${error.message}` : ''}`);
}

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type KubernetesObject, folder, repository } from './helm';

const answer = z.object({ problems: z.array(z.string()), source: z.string() });

/**
 * What the published schemas say against objects: values that are missing or wrong, and, by their types, fields that do
 * not exist.
 */
export function problemsOf(objects: readonly KubernetesObject[]): string[] {
  const validation = spawnSync(process.execPath, [join(folder, 'test', 'validate-objects.mjs')], {
    encoding: 'utf8',
    input: JSON.stringify(objects),
    maxBuffer: 1 << 26,
  });
  if (validation.status !== 0) throw new Error(validation.stderr);
  const { problems, source } = answer.parse(JSON.parse(validation.stdout));
  return [...problems, ...typeErrors(source)];
}

function typeErrors(source: string): string[] {
  // Below the folder of the packages, which the compiler finds from there.
  const parent = join(repository, 'node_modules', '.cache');
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, 'tributary-kubernetes-'));
  try {
    const file = join(directory, 'objects.ts');
    writeFileSync(file, source);
    const words = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--module', 'nodenext', '--types', ''];
    const compiler = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
    const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, ...words, '--pretty', 'false', file], {
      encoding: 'utf8',
    });
    if (status === 0) return [];
    return `${stdout}${stderr}`
      .trim()
      .split('\n')
      .map((line) => line.replace(/^.*objects\.ts/, ''));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

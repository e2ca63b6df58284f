// Validates objects of Kubernetes, a JSON array on standard input, by the schemas that are published for their kinds.
// Prints JSON: a text for each problem, and a source of TypeScript in which each object has the type of its kind. The
// schemas are modules, which jest does not read.
import { readFileSync } from 'node:fs';

/** The packages of the schemas, by the group of the API. */
const packages = new Map([
  ...['', 'apps', 'autoscaling', 'batch', 'networking.k8s.io', 'policy'].map((group) => [group, 'kubernetes-models']),
  ['cert-manager.io', '@kubernetes-models/cert-manager'],
  ['external-secrets.io', '@kubernetes-models/external-secrets'],
  ['keda.sh', '@kubernetes-models/keda'],
  ['monitoring.coreos.com', '@kubernetes-models/prometheus-operator'],
]);

const problems = [];
const lines = [];
for (const [index, object] of JSON.parse(readFileSync(0, 'utf8')).entries()) {
  const { apiVersion, kind, metadata } = object;
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  const specifier = `${packages.get(group)}/${apiVersion}/${kind}`;
  const { [kind]: Model } = await import(specifier);
  try {
    new Model(object).validate();
  } catch (error) {
    problems.push(`${kind} ${metadata.name}: ${error.message}`);
  }
  lines.push(`import type { I${kind} as Type${index} } from '${specifier}';`);
  lines.push(`export const object${index}: Type${index} = ${JSON.stringify(object)};`);
}
process.stdout.write(JSON.stringify({ problems, source: lines.join('\n') }));

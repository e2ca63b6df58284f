import { z } from 'zod';
import type { KubernetesObject } from './helm';

const keyToPath = z.object({ key: z.string(), path: z.string() });
const source = z.strictObject({
  secret: z.object({ name: z.string(), items: z.array(keyToPath).optional() }).optional(),
  configMap: z.object({ name: z.string(), items: z.array(keyToPath) }).optional(),
});
const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string(), scheme: z.string() }) }).optional();
const container = z.looseObject({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()).optional(),
  env: z.array(z.object({ name: z.string(), value: z.string() })),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  resources: z.object({ limits: z.looseObject({ memory: z.string() }) }),
  securityContext: z.looseObject({}),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
});
const podTemplate = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()) }),
  spec: z.looseObject({
    containers: z.tuple([container]),
    terminationGracePeriodSeconds: z.number().optional(),
    volumes: z.array(
      z.looseObject({
        name: z.string(),
        projected: z.looseObject({ defaultMode: z.number(), sources: z.array(z.looseObject({})) }).optional(),
      }),
    ),
  }),
});

/** A pod that a Deployment or a Job has. */
export interface Pod {
  /** The component: the name of a service, of the gateway or of a job. */
  name: string;
  kind: string;
  labels: Readonly<Record<string, string>>;
  spec: z.output<typeof podTemplate>['spec'];
  container: z.output<typeof container>;
  environment: Readonly<Record<string, string>>;
  /** The sources of the folder of secrets. */
  secrets: z.output<typeof source>[];
}

/** The pods of a chart, by component. */
export function podsOf(objects: readonly KubernetesObject[]): Map<string, Pod> {
  const owners = objects.filter(({ kind }) => ['Deployment', 'Job'].includes(kind));
  return new Map(
    owners.map(({ kind, metadata: { name }, ...object }) => {
      const { template } = z.object({ template: podTemplate }).parse(object['spec']);
      const [first] = template.spec.containers;
      const folder = template.spec.volumes.find((volume) => volume.name === 'secrets')?.projected;
      const pod: Pod = {
        name,
        kind,
        labels: template.metadata.labels,
        spec: template.spec,
        container: first,
        environment: Object.fromEntries(first.env.map((variable) => [variable.name, variable.value])),
        secrets: z.array(source).parse(folder?.sources),
      };
      return [name, pod];
    }),
  );
}

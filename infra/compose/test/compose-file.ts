import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { adminCommands } from '@tributary/local';
import { type CollectionTag, parse } from 'yaml';
import { z } from 'zod';

const repository = join(__dirname, '..', '..', '..');
export const readRepositoryFile = (name: string): string => readFileSync(join(repository, name), 'utf8');

const names = z.union([z.array(z.string()), z.record(z.string(), z.unknown()).transform((map) => Object.keys(map))]);
const service = z.looseObject({
  image: z.string().optional(),
  command: z.array(z.string()).nullish(),
  environment: z.record(z.string(), z.coerce.string()).default({}),
  networks: names.default([]),
  network_mode: z.string().optional(),
  ports: z.array(z.unknown()).default([]),
  depends_on: z.record(z.string(), z.looseObject({ condition: z.string() })).default({}),
  restart: z.string().optional(),
  stop_grace_period: z.string().optional(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).optional(),
  mem_limit: z.coerce.string().optional(),
  cpus: z.coerce.number().optional(),
  pids_limit: z.number().optional(),
  logging: z.object({ driver: z.string(), options: z.record(z.string(), z.coerce.string()) }).optional(),
});
const composeFile = z.looseObject({
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.looseObject({ internal: z.boolean().optional() }).nullable()).default({}),
});
export type ComposeFile = z.output<typeof composeFile>;

/** The tag of compose for a list that replaces the one of the files before. */
const override: CollectionTag = { tag: '!override', collection: 'seq', resolve: (list) => list };

/** A file of compose, in YAML or JSON. */
export const readComposeFile = (content: string): ComposeFile =>
  composeFile.parse(parse(content, { merge: true, customTags: [override] }));

/** The variables of an env file. */
export const settingsIn = (file: string): Record<string, string> =>
  Object.fromEntries(
    [...readRepositoryFile(file).matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );

/** The services that own a schema, and the job of each that migrates it. */
const migrations = adminCommands['schema']!.services.map((name) => [name, `migrate-${name}`] as const);
const jobs = ['secrets', 'provision', ...migrations.map(([, job]) => job)];
const completed = expect.objectContaining({ condition: 'service_completed_successfully' });

/** The tests of what holds for the production form, as it is written and as compose resolves it. */
export function testProductionForm(form: ComposeFile): void {
  const services = Object.entries(form.services);

  it('has no address without TLS, and no password', () => {
    const environments = JSON.stringify(services.map(([, { environment }]) => environment));
    expect(environments).not.toMatch(/(?<![a-z])(?:http|redis|smtp):\/\//);
    expect(environments).not.toMatch(/:\/\/[^/"@]*:[^/"@]*@/);
    for (const [name, { environment }] of services)
      for (const [variable, value] of Object.entries(environment)) {
        if (/(?:PASSWORD|SECRET|KEY|KEYS)$/.test(variable)) expect(`${name} ${variable}`).toBe('given as a file');
        if (variable === 'SANDBOX_MODE') expect([name, value]).toEqual([name, 'false']);
      }
  });

  it('has no part that is for development only', () => {
    for (const name of ['sandbox-health-system', 'sandbox-mail', 'registration', 'directory'])
      expect(services.map(([each]) => each)).not.toContain(name);
  });

  it('limits memory, processors, processes and logs of every container', () => {
    for (const [name, { mem_limit, cpus, pids_limit, logging }] of services)
      expect([name, mem_limit, cpus, pids_limit, logging]).toEqual([
        name,
        expect.stringMatching(/^\d+[mg]?$/),
        expect.any(Number),
        expect.any(Number),
        { driver: 'json-file', options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
      ]);
  });

  it('confines every container, and gives those that stay time to end', () => {
    for (const [name, { read_only, cap_drop, restart, stop_grace_period }] of services) {
      expect([name, read_only, cap_drop]).toEqual([name, true, ['ALL']]);
      const isJob = jobs.includes(name);
      expect([name, restart, stop_grace_period !== undefined]).toEqual(
        isJob ? [name, undefined, false] : [name, 'unless-stopped', true],
      );
    }
  });

  it.each(migrations)('migrates the schema of %s in a job that ends before the service starts', (name, jobName) => {
    const [service, job] = [form.services[name], form.services[jobName]];
    expect([job?.image, job?.command]).toEqual([service?.image, ['tributary', 'schema', 'migrate']]);
    expect(job?.depends_on).toEqual({ provision: completed });
    expect(service?.depends_on).toMatchObject({ [jobName]: completed });
    const { AUDIT_OPERATOR: _, ...settings } = job?.environment ?? {};
    expect(service?.environment).toMatchObject(settings);
  });

  it('lets only the gateway be reached from outside', () => {
    expect(services.filter(([, { ports }]) => ports.length > 0).map(([name]) => name)).toEqual(['gateway']);
    expect(services.filter(([, { networks }]) => networks.includes('public')).map(([name]) => name)).toEqual([
      'gateway',
    ]);
    const internal = Object.entries(form.networks).filter(([, network]) => network?.internal);
    expect(internal.map(([name]) => name).sort()).toEqual(['data', 'services']);
    for (const name of ['postgres', 'redis', 'provision', ...migrations.map(([, job]) => job)])
      expect([name, form.services[name]?.networks]).toEqual([name, ['data']]);
    expect(form.services['gateway']?.networks).not.toContain('data');
    expect(form.services['secrets']?.network_mode).toBe('none');
    for (const [name, { networks, network_mode }] of services)
      expect([name, networks.length > 0 || network_mode === 'none']).toEqual([name, true]);
  });
}

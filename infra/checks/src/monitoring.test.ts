import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(__dirname, '..', '..', '..');
const monitoring = join(repository, 'infra', 'monitoring');

/** What prom-client registers by itself. */
const defaults = ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes'];

/** The text of all sources of packages and services. */
function sources(): string {
  return ['packages', 'services']
    .flatMap((folder) =>
      readdirSync(join(repository, folder)).map((project) => join(repository, folder, project, 'src')),
    )
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
        .map((path) => readFileSync(join(folder, path), 'utf8')),
    )
    .join('\n');
}

const dashboards = readdirSync(join(monitoring, 'dashboards'));

const autoscaling = join('..', 'kubernetes', 'tributary', 'templates', 'queue-autoscaling.yaml');

it.each(['alerts.yml', autoscaling, ...dashboards.map((name) => join('dashboards', name))])(
  'every metric of %s is registered',
  (file) => {
    const text = readFileSync(join(monitoring, file), 'utf8');
    const names = new Set(text.match(/\b(?:tributary|nodejs|process)_\w+/g));
    expect(names.size).toBeGreaterThan(0);
    const code = sources();
    const unknown = [...names]
      .filter((name) => !defaults.includes(name))
      .map((name) => name.replace(/_(?:bucket|count|sum)$/, ''))
      .filter((name) => !code.includes(`'${name}'`));
    expect(unknown).toEqual([]);
  },
);

it('every alert has a paragraph in the runbooks', () => {
  const alerts = [...readFileSync(join(monitoring, 'alerts.yml'), 'utf8').matchAll(/- alert: (\w+)/g)];
  const runbooks = readFileSync(join(repository, 'infra', 'docs', 'operations', 'runbooks.md'), 'utf8');
  expect(alerts.length).toBeGreaterThan(0);
  expect(alerts.map(([, name]) => name).filter((name) => !runbooks.includes(`**${name}.**`))).toEqual([]);
});

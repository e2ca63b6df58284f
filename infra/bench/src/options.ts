import { parseArgs } from 'node:util';

export const scenarioNames = [
  'ingest',
  'fresh',
  'disk',
  'growth',
  'export',
  'read',
  'search',
  'create',
  'crud',
  'bundles',
  'crowded',
  'sizes',
  'collection',
  'directory',
] as const;
export type ScenarioName = (typeof scenarioNames)[number];

export const profiledServices = [
  'fhir-store',
  'analytics-export',
  'ingestion-worker',
  'auth',
  'user-management',
  'search',
  'sandbox-health-system',
] as const;

export interface Options {
  only: ReadonlySet<ScenarioName>;
  users: number;
  /** The approximate number of resources per user. */
  resources: number;
  connections: number;
  /** The duration of the measurement of each kind of request, in seconds. */
  seconds: number;
  /** The maximum duration of loading records, in seconds. Users without a record at that time are left out. */
  loadSeconds: number;
  /** The number of resources in the record that is collected from the sandbox. */
  collect: number;
  /** The number of health systems in the directory. */
  systems: number;
  /** The number of processes of each service. */
  replicas: number;
  json: string | undefined;
  svg: string | undefined;
  profile: (typeof profiledServices)[number] | undefined;
  /** Starts the suite over TLS. */
  tls: boolean;
  /** Whether the suite keeps an audit log. */
  audit: boolean;
  running: boolean;
  portBase: number;
}

export const help = `npm run bench -- [options]

Starts the suite with data of its own, measures it at its public addresses, and prints each figure beside the same work
on the bare database and beside an empty Express route.

  --only a,b        measure only these: ${scenarioNames.join(', ')}
  --users N         users with a record each (1000)
  --resources N     resources in each record, about (300)
  --connections N   connections that send requests at once (16)
  --seconds N       how long each kind of request is measured (5)
  --load-seconds N  maximum duration of loading records; the remaining users are left out (120)
  --collect N       size of the record collected from the sandbox (50000)
  --systems N       health systems in the directory that is searched (100000)
  --replicas N      processes of each service (1)
  --json FILE       write the figures to this file, too
  --svg FILE        draw the figures as shares of their goals
  --profile SERVICE show which functions of the service took the time in each scenario: ${profiledServices.join(', ')}
  --tls             start the suite over TLS; the bare routes stay HTTP, and their database is encrypted, too
  --no-audit        start the suite without an audit log
  --running         use the suite that runs here (TRIBUTARY_HOME), and delete the bench's users at the end
  --port-base N     first port of the suite that is started (PORT_BASE, or 24000)
  --help
`;

/** @throws Error that names the invalid option */
export function parseOptions(words: readonly string[], environment: NodeJS.ProcessEnv): Options | 'help' {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: text,
      users: text,
      resources: text,
      connections: text,
      seconds: text,
      'load-seconds': text,
      collect: text,
      systems: text,
      replicas: text,
      json: text,
      svg: text,
      profile: text,
      tls: flag,
      'no-audit': flag,
      running: flag,
      'port-base': text,
      help: flag,
    },
  });
  if (values.help) return 'help';
  if (values.tls && values.running) throw new Error('--tls starts a suite, and --running uses one that runs');
  if (values.replicas !== undefined && values.running)
    throw new Error('--replicas starts a suite, and --running uses one that runs');
  if (values['no-audit'] && values.running)
    throw new Error('--no-audit starts a suite, and --running uses one that runs');
  const number = (
    name:
      | 'users'
      | 'resources'
      | 'connections'
      | 'seconds'
      | 'load-seconds'
      | 'collect'
      | 'systems'
      | 'replicas'
      | 'port-base',
    fallback: number,
    min: number,
    max: number,
  ): number => {
    const value = Number(values[name] ?? fallback);
    if (!Number.isInteger(value) || value < min || value > max)
      throw new Error(`--${name} must be a whole number from ${min} to ${max}`);
    return value;
  };
  return {
    only: new Set(
      values.only === undefined
        ? scenarioNames
        : values.only.split(',').map((name) => oneOf('--only', name.trim(), scenarioNames)),
    ),
    users: number('users', 1000, 1, 100_000),
    resources: number('resources', 300, 20, 10_000),
    connections: number('connections', 16, 1, 1000),
    seconds: number('seconds', 5, 1, 600),
    loadSeconds: number('load-seconds', 120, 1, 86_400),
    collect: number('collect', 50_000, 20, 1_000_000),
    systems: number('systems', 100_000, 100, 1_000_000),
    replicas: number('replicas', 1, 1, 4),
    json: values.json,
    svg: values.svg,
    profile: values.profile === undefined ? undefined : oneOf('--profile', values.profile, profiledServices),
    tls: values.tls,
    audit: !values['no-audit'],
    running: values.running,
    portBase: number('port-base', Number(environment['PORT_BASE'] ?? 24_000), 1024, 65_400),
  };
}

function oneOf<Name extends string>(option: string, value: string, allowed: readonly Name[]): Name {
  const found = allowed.find((name) => name === value);
  if (found === undefined)
    throw new Error(`${option}: there is no ${JSON.stringify(value)}; there are ${allowed.join(', ')}`);
  return found;
}

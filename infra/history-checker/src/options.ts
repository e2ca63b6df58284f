import { parseArgs } from 'node:util';

export interface Options {
  readonly seed: number;
  /** The maximum number of requests with a response. */
  readonly operations: number;
  /** The maximum duration in seconds; the first limit ends the run. */
  readonly seconds: number;
  readonly clients: number;
  readonly users: number;
  /** The number of resources per user with ids that clients assign. */
  readonly resources: number;
  /** The number of crashes of a replica or of PostgreSQL, evenly over the run. */
  readonly crashes: number;
}

const shortRun: Omit<Options, 'seed'> = {
  operations: 1500,
  seconds: 600,
  clients: 12,
  users: 2,
  resources: 6,
  crashes: 3,
};

export const help = `npm run test:history -- [options]

Sends random concurrent reads and writes to two replicas of fhir-store, kills replicas and PostgreSQL meanwhile, and then
compares every resource's history with what was acknowledged. Ends with 1 when they differ.

  --seconds N      how long (without it: ${shortRun.operations} requests)
  --operations N   how many requests at most
  --seed N         of the random choices (random)
  --clients N      requests at once (${shortRun.clients})
  --users N        records (${shortRun.users})
  --resources N    resources of each record that are written by id (${shortRun.resources})
  --crashes N      kills during the run (${shortRun.crashes}; with --seconds, one every 15 seconds)
  --help
`;

/** @throws Error that names the invalid option */
export function parseOptions(words: readonly string[]): Options | 'help' {
  const text = { type: 'string' } as const;
  const names = {
    seconds: text,
    operations: text,
    seed: text,
    clients: text,
    users: text,
    resources: text,
    crashes: text,
  };
  const { values } = parseArgs({ args: [...words], options: { ...names, help: { type: 'boolean', default: false } } });
  if (values.help) return 'help';
  const number = (name: keyof typeof names, fallback: number, min = 1): number => {
    const value = Number(values[name] ?? fallback);
    if (!Number.isInteger(value) || value < min || value > 2 ** 31)
      throw new Error(`--${name} must be a whole number from ${min}`);
    return value;
  };
  const seconds = number('seconds', shortRun.seconds);
  const timed = values.seconds !== undefined;
  return {
    seed: number('seed', Math.floor(Math.random() * 2 ** 31), 0),
    operations: number('operations', timed ? 2 ** 31 : shortRun.operations),
    seconds,
    clients: number('clients', shortRun.clients),
    users: number('users', shortRun.users),
    resources: number('resources', shortRun.resources),
    crashes: number('crashes', timed ? Math.floor(seconds / 15) : shortRun.crashes, 0),
  };
}

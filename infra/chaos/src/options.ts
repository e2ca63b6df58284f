import { parseArgs } from 'node:util';
import { faultNames } from './faults/catalogue';
import { type Form, redisModes } from './history/form';

export interface Options {
  /** The names of the faults, in the order in which they are injected. */
  only: readonly string[];
  seed: number | undefined;
  /** The duration of each fault, or of the run. */
  seconds: number | undefined;
  /** What the history is checked on. */
  form: Form;
}

export const chaosHelp = `npm run chaos -- [options]

Starts the suite with two replicas of each service, keeps load on it, injects one fault after the other, and checks
everything that was acknowledged. Ends with 1 when anything was lost, duplicated or falsely complete, or when
recovery took more than 30 s. PORT_BASE is the first port of the suite (27000).

  --only a,b     inject only these: ${faultNames.join(', ')}
  --seed N       decides what the load does and when processes are killed (1)
  --seconds N    how long each fault lasts (20)
  --help
`;

export const historyHelp = `npm run test:history -- [options]

Sends random concurrent reads and writes to two replicas of fhir-store, kills replicas and PostgreSQL meanwhile, and then
compares every resource's history with what was acknowledged. Ends with 1 when they differ.

  --seconds N    how long, with a kill every 15 seconds (without it: 1500 requests and three kills)
  --seed N       of the random choices (random)
  --redis MODE   ${redisModes.join(', ')} (server): of several servers, a primary is killed as the third
  --pgbouncer    the replicas reach PostgreSQL through PgBouncer in transaction mode
  --read-replica exports, which are checked as well, read a streaming replica of PostgreSQL
  --object-storage
                 large Binaries are written as well, with their content in an object storage
  --help
`;

/** @throws Error that names the invalid option */
export function parseOptions(words: readonly string[]): Options | 'help' {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: text,
      seed: text,
      seconds: text,
      redis: { type: 'string', default: 'server' },
      pgbouncer: flag,
      'read-replica': flag,
      'object-storage': flag,
      help: flag,
    },
  });
  if (values.help) return 'help';
  const number = (name: 'seed' | 'seconds', min: number, max: number): number | undefined => {
    if (values[name] === undefined) return undefined;
    const value = Number(values[name]);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new Error(`--${name} must be a whole number from ${min} to ${max}`);
  };
  const only = values.only?.split(',').map((name) => name.trim()) ?? faultNames;
  const unknown = only.find((name) => !faultNames.includes(name));
  if (unknown !== undefined)
    throw new Error(`--only: there is no ${JSON.stringify(unknown)}; there are ${faultNames.join(', ')}`);
  const redis = redisModes.find((mode) => mode === values.redis);
  if (redis === undefined) throw new Error(`--redis must be one of ${redisModes.join(', ')}`);
  return {
    only,
    seed: number('seed', 0, 4_294_967_295),
    seconds: number('seconds', 1, 86_400),
    form: {
      redis,
      pgbouncer: values.pgbouncer,
      readReplica: values['read-replica'],
      objectStorage: values['object-storage'],
    },
  };
}

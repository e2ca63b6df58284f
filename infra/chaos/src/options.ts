import { parseArgs } from 'node:util';
import { faultNames } from './faults/catalogue';

export interface Options {
  /** The names of the faults, in the order in which they are injected. */
  only: readonly string[];
  seed: number | undefined;
  /** The duration of each fault, or of the run. */
  seconds: number | undefined;
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
  --help
`;

/** @throws Error that names the invalid option */
export function parseOptions(words: readonly string[]): Options | 'help' {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...words],
    options: { only: text, seed: text, seconds: text, help: { type: 'boolean', default: false } },
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
  return { only, seed: number('seed', 0, 4_294_967_295), seconds: number('seconds', 1, 86_400) };
}

import { parseArgs } from 'node:util';
import { faultNames } from './faults/catalogue';

export interface Options {
  /** The names of the faults, in the order in which they are injected. */
  only: readonly string[];
  seed: number;
  /** The duration of each fault, in seconds. */
  seconds: number;
  json: string | undefined;
  portBase: number;
}

export const help = `npm run chaos -- [options]

Starts the suite with two replicas of each service, keeps load on it, injects one fault after the other, and checks
everything that was acknowledged. Ends with 1 when anything was lost, duplicated or falsely complete, or when
recovery took more than 30 s.

  --only a,b     inject only these: ${faultNames.join(', ')}
  --seed N       decides what the load does and when processes are killed (1)
  --seconds N    how long each fault lasts (20)
  --json FILE    write the table to this file, too
  --port-base N  first port of the suite that is started (PORT_BASE, or 27000)
  --help
`;

/** @throws Error that names the invalid option */
export function parseOptions(words: readonly string[], environment: NodeJS.ProcessEnv): Options | 'help' {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: text,
      seed: text,
      seconds: text,
      json: text,
      'port-base': text,
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const number = (name: 'seed' | 'seconds' | 'port-base', fallback: number, min: number, max: number): number => {
    const value = Number(values[name] ?? fallback);
    if (!Number.isInteger(value) || value < min || value > max)
      throw new Error(`--${name} must be a whole number from ${min} to ${max}`);
    return value;
  };
  const only = values.only === undefined ? faultNames : values.only.split(',').map((name) => name.trim());
  const unknown = only.find((name) => !faultNames.includes(name));
  if (unknown !== undefined)
    throw new Error(`--only: there is no ${JSON.stringify(unknown)}; there are ${faultNames.join(', ')}`);
  return {
    only,
    seed: number('seed', 1, 0, 4_294_967_295),
    seconds: number('seconds', 20, 1, 600),
    json: values.json,
    portBase: number('port-base', Number(environment['PORT_BASE'] ?? 27_000), 1024, 65_300),
  };
}

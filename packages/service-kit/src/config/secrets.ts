import { linesOf } from '@tributary/contracts';
import { z } from 'zod';

/** A secret of which several values are accepted and one is used. Both can change while the process runs. */
export interface Secret {
  readonly current: string;
  /** Oldest first. */
  readonly accepted: readonly string[];
  /** Looks at the file now; absent where the value cannot change. */
  refresh?(): void;
}

export function isSecret(value: unknown): value is Secret {
  return typeof value === 'object' && value !== null && 'current' in value && 'accepted' in value;
}

/** How long a value in a secret file is accepted before it is used. */
export const activationConfig = z.object({
  SECRET_ACTIVATION_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(86_400)
    .default(300)
    .describe(
      'how long a value that is appended to a secret file is accepted before it is used, so that every replica knows it',
    ),
});

/** Parses the values of a secret, oldest first. @throws Error without a value in it */
type ParseSecret = (content: string) => readonly string[];

const parsers = z.registry<{ parse: ParseSecret }>();

/**
 * A secret with one value per line, the last of which is used.
 * @param format what each value is, as the end of a sentence
 */
export function secret(minLength: number, format?: { pattern: RegExp; text: string }): z.ZodType<Secret> {
  const parse: ParseSecret = (content) => {
    const lines = linesOf(content);
    if (lines.length === 0 || lines.some((line) => line.length < minLength))
      throw new Error(`each line must have at least ${minLength} characters`);
    if (format && !lines.every((line) => format.pattern.test(line))) throw new Error(`must be ${format.text}`);
    return lines;
  };
  return secretField(parse, (values) => values);
}

/**
 * The keys of the services that may call, as JSON `{"name": "key"}` or `{"name": ["key", "next key"]}`. All of them are
 * accepted.
 */
export function serviceKeys(minLength: number): z.ZodType<ServiceKeys> {
  const shape = z.record(z.string(), z.union([z.string().min(minLength), z.array(z.string().min(minLength)).min(1)]));
  const parse: ParseSecret = (content) => {
    try {
      return [JSON.stringify(shape.parse(JSON.parse(content)))];
    } catch {
      throw new Error(`must be a JSON object of service names and keys of at least ${minLength} characters`);
    }
  };
  return secretField(parse, (values) => new ServiceKeys(values));
}

/** The keys of the services that may call this one. */
export class ServiceKeys {
  readonly #source: Pick<Secret, 'current'> & { refresh?(): void };
  #read: { text: string; keys: ReadonlyMap<string, readonly string[]> } | undefined;

  /** @param source JSON of names and keys */
  constructor(source: Pick<Secret, 'current'> & { refresh?(): void }) {
    this.#source = source;
  }

  /** Those of fixed keys. */
  static of(keys: Readonly<Record<string, string | readonly string[]>>): ServiceKeys {
    return new ServiceKeys({ current: JSON.stringify(keys) });
  }

  /** The keys that are accepted from a service; none when it may not call. */
  acceptedFrom(service: string): readonly string[] {
    return this.#keys().get(service) ?? [];
  }

  /** Each service that may call, with its keys. */
  entries(): [service: string, keys: readonly string[]][] {
    return [...this.#keys()];
  }

  /** Looks whether the keys have changed, as when a key is presented that is not known. */
  refresh(): void {
    this.#source.refresh?.();
  }

  #keys(): ReadonlyMap<string, readonly string[]> {
    const text = this.#source.current;
    if (this.#read?.text !== text) {
      const entries = Object.entries(JSON.parse(text) as Record<string, string | string[]>);
      this.#read = { text, keys: new Map(entries.map(([name, keys]) => [name, [keys].flat()])) };
    }
    return this.#read.keys;
  }
}

/**
 * How `readConfig` parses the file that `NAME_FILE` gives for a secret; undefined for other variables, whose file is
 * read once.
 */
export function parserOf(field: unknown): ParseSecret | undefined {
  const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
  return parsers.get(inner as z.ZodType)?.parse;
}

/** Reads a variable, or takes the file that `readConfig` has opened for it. */
function secretField<T>(parse: ParseSecret, open: (values: Secret) => T): z.ZodType<T> {
  const field = z.unknown().transform((value, context): T => {
    // A secret that was read before is passed again when a part of the configuration is parsed again.
    if (isSecret(value)) return open(value);
    try {
      const accepted = parse(typeof value === 'string' ? value : '');
      return open({ accepted, current: accepted.at(-1) as string });
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is not valid' });
      return z.NEVER;
    }
  });
  return field.register(parsers, { parse }) as unknown as z.ZodType<T>;
}

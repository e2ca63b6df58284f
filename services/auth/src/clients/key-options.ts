import { readFileSync } from 'node:fs';
import { assertPublicUrl } from '@tributary/public-addresses';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type JsonWebKeySet, registrableKeySet } from '../assertions/key-set';
import type { ClientKeys } from './client-applications';

export interface KeyOptions {
  jwks?: JsonWebKeySet;
  jwksUrl?: string;
}

const standardInput = 0;

/** Adds the options by which an operator tells where a client's public keys are. */
export function withKeyOptions(command: Command, sandboxMode: boolean): Command {
  return command
    .addOption(
      new Option('--jwks <file>', 'its public keys, a JSON Web Key Set; - for standard input')
        .argParser(keySetArgument)
        .conflicts('jwksUrl'),
    )
    .addOption(
      new Option('--jwks-url <url>', 'where it publishes its public keys').argParser((text) =>
        urlArgument(text, sandboxMode),
      ),
    );
}

/** What was given; undefined when neither was. */
export function keysOfOptions({ jwks, jwksUrl }: KeyOptions): ClientKeys | undefined {
  if (jwks) return { jwks };
  return jwksUrl === undefined ? undefined : { jwks_url: jwksUrl };
}

function keySetArgument(file: string): JsonWebKeySet {
  const text = attempt(() => readFileSync(file === '-' ? standardInput : file, 'utf8'), 'It cannot be read');
  const json: unknown = attempt(() => JSON.parse(text), 'It is not JSON');
  return attempt(() => registrableKeySet(json));
}

function urlArgument(text: string, sandboxMode: boolean): string {
  const url = attempt(() => new URL(text), 'It is not an absolute address');
  if (!/^https?:$/.test(url.protocol)) throw new InvalidArgumentError('It is not a web address.');
  if (!sandboxMode) attempt(() => assertPublicUrl(url));
  return text;
}

/** Complains as the commands do: with the given words, or else with those of the error. */
function attempt<T>(work: () => T, complaint?: string): T {
  try {
    return work();
  } catch (error) {
    throw new InvalidArgumentError(`${complaint ?? (error as Error).message}.`);
  }
}

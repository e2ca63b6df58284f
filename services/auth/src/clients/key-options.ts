import { readFileSync } from 'node:fs';
import { readNamedFile } from '@tributary/service-kit';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type JsonWebKeySet, registrableKeySet } from '../client-authentication/key-set';
import { assertKeySetUrl } from './client-settings';

export interface KeyOptions {
  jwks?: JsonWebKeySet;
  jwksUrl?: string;
}

export const standardInput = 0;

/** Adds the options that name the public keys of a client. */
export function withKeyOptions(command: Command, sandboxMode: boolean): Command {
  return command
    .addOption(
      new Option('--jwks <file>', 'its public keys, a JSON Web Key Set; - for standard input')
        .argParser(keySetArgument)
        .conflicts('jwksUrl'),
    )
    .addOption(
      new Option('--jwks-url <url>', 'the URL at which it publishes its public keys').argParser((text) =>
        urlArgument(text, sandboxMode),
      ),
    );
}

function keySetArgument(file: string): JsonWebKeySet {
  const text = attempt(() => (file === '-' ? readFileSync(standardInput, 'utf8') : readNamedFile(file)));
  const json: unknown = attempt(() => JSON.parse(text), 'It is not JSON');
  return attempt(() => registrableKeySet(json));
}

function urlArgument(text: string, sandboxMode: boolean): string {
  attempt(() => assertKeySetUrl(text, sandboxMode));
  return text;
}

/** Reports an error of the work as an invalid argument, with the given message or else with that of the error. */
export function attempt<T>(work: () => T, message?: string): T {
  try {
    return work();
  } catch (error) {
    throw new InvalidArgumentError(`${message ?? (error as Error).message}.`);
  }
}

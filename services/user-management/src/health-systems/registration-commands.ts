import { type FhirVersion, fhirVersion } from '@tributary/contracts';
import { readConfig, readNamedFile, argument } from '@tributary/service-kit';
import { type Command, Option } from 'commander';
import { SigningKeys } from '../client-keys/signing-keys';
import {
  type CommandContext,
  type JsonOption,
  endpointsOf,
  jsonOption,
  printEntries,
  withDatabase,
} from '../command-context';
import { registrationCheckConfig, registrationConfig } from '../config';
import { callbackName } from '../connect/connect-request';
import type { ServiceDatabase } from '../database/open-database';
import { retryClientProblems } from '../grants/client-problems';
import { OutboundHttp } from '../outbound/outbound-http';
import { type CheckStep, checkRegistration } from '../registration-check/check-registration';
import { type AuthMethod, type Registration, Registrations, authMethods } from './registrations';

interface Target {
  fhirBase?: string;
  host?: string;
}

interface RegistrationOptions extends Target {
  clientId: string;
  clientSecret?: string;
  clientSecretFile?: string;
  authMethod: AuthMethod;
  scopes?: string;
  callback?: string | null;
}

const callbackArgument = argument(
  (text) => (text === '' ? null : callbackName.safeParse(text).data),
  'It must have up to 64 letters, digits, dots, hyphens and underscores.',
);

/** Adds `registration set`, `list`, `test` and `remove`. */
export function addRegistrationCommands(program: Command, context: CommandContext): void {
  const { print, environment } = context;
  const withRegistrations = (
    work: (registrations: Registrations, opened: ServiceDatabase) => Promise<void>,
  ): Promise<void> => {
    const { BASE_URL } = readConfig(registrationConfig, environment);
    return withDatabase(context, (opened) => work(new Registrations(opened.database, opened.keys, BASE_URL), opened));
  };
  const registration = program.command('registration').description('registrations of our client at health systems');
  const forTarget = (name: string, description: string): Command =>
    registration
      .command(name)
      .description(description)
      .option('--fhir-base <url>', 'the FHIR base URL of one health system')
      .option('--host <host>', 'every FHIR base on this host, host:port or *.domain');

  forTarget('set', 'add a registration, or replace the one of the same FHIR base or host')
    .requiredOption('--client-id <id>', 'the client_id that the health system issued')
    .option('--client-secret <secret>', 'the client_secret that the health system issued')
    .option('--client-secret-file <file>', 'a file that holds the client_secret')
    .addOption(
      new Option('--auth-method <method>', 'the method of client authentication at the token endpoint')
        .choices(authMethods)
        .makeOptionMandatory(),
    )
    .option('--scopes <scopes>', 'scopes to request instead of the default ones')
    .option(
      '--callback <name>',
      'the redirect_uri at the health system becomes {base_url}/connect/callback/<name>, of no other health system; "" for {base_url}/connect/callback',
      callbackArgument,
    )
    .action(async ({ clientSecretFile, ...options }: RegistrationOptions) => {
      const target = targetOf(options);
      const { clientId, authMethod, scopes, callback } = options;
      const clientSecret = clientSecretFile ? readNamedFile(clientSecretFile).trim() : options.clientSecret;
      if (authMethod.startsWith('client_secret') !== (clientSecret !== undefined))
        throw new Error(`${authMethod} ${clientSecret === undefined ? 'needs a' : 'takes no'} client secret`);
      await withRegistrations(async (registrations, { database }) => {
        const set = { ...target, clientId, clientSecret, authMethod, scopes, callback };
        const redirectUri = await registrations.set(set);
        await retryClientProblems(database);
        print(`registered as ${clientId} at ${target.pattern}, with the redirect_uri ${redirectUri}`);
      });
    });

  jsonOption(registration.command('list').description('all registrations, without their secrets')).action(
    (options: JsonOption) =>
      withRegistrations(async (registrations) => {
        const all = (await registrations.listWithoutSecrets()).map(({ matches, pattern, ...rest }) => ({
          [matches]: pattern,
          ...rest,
        }));
        printEntries(context, options, all, (entry) => Object.values(entry).join('  '));
      }),
  );

  registration
    .command('test <health-system>')
    .description(
      'go through the steps of connecting without a user: discovery, scopes, addresses, client authentication',
    )
    .addHelpText('after', '\n<health-system> is its id in the directory, or a FHIR base URL.')
    .addOption(new Option('--release <release>', 'of a FHIR base URL').choices(fhirVersion.options).default('r4'))
    .option('--json', 'as JSON, one line for each step')
    .action(async (healthSystem: string, { release, json }: JsonOption & { release: FhirVersion }) => {
      const { SANDBOX_MODE, BASE_URL } = readConfig(registrationCheckConfig, environment);
      let failures = 0;
      await withRegistrations(async (registrations, { database, keys }) => {
        const dependencies = {
          http: new OutboundHttp({ allowPrivateAddresses: SANDBOX_MODE }),
          registrations,
          signingKeys: new SigningKeys(database, keys),
          jwksUrl: `${BASE_URL}/connect/jwks.json`,
        };
        for (const endpoint of await endpointsOf(context, healthSystem, release)) {
          if (!json) print(`${endpoint.fhir_base_url} (${endpoint.fhirVersion})`);
          for await (const step of checkRegistration(dependencies, endpoint)) {
            if (step.result === 'failed') failures++;
            print(json ? JSON.stringify({ ...endpoint, ...step }) : stepLine(step));
          }
        }
      });
      if (failures > 0) throw new Error(failures === 1 ? 'one step failed' : `${failures} steps failed`);
    });

  forTarget('remove', 'remove a registration').action(async (options: Target) => {
    const { matches, pattern } = targetOf(options);
    await withRegistrations(async (registrations) => {
      if (!(await registrations.remove(matches, pattern))) throw new Error('there is no such registration');
    });
    print(`removed the registration at ${pattern}`);
  });
}

function targetOf({ fhirBase, host }: Target): Pick<Registration, 'matches' | 'pattern'> {
  if ((fhirBase === undefined) === (host === undefined)) throw new Error('give either --fhir-base or --host');
  if (fhirBase !== undefined && !/^https?:\/\//i.test(fhirBase)) throw new Error('--fhir-base must be an http(s) URL');
  if (host !== undefined && !/^(\*\.)?[A-Za-z0-9.[\]:-]+$/.test(host))
    throw new Error('--host must be a host, host:port or *.domain');
  return fhirBase === undefined
    ? { matches: 'host', pattern: host ?? '' }
    : { matches: 'fhir_base', pattern: fhirBase };
}

function stepLine({ step, result, message, advice }: CheckStep): string {
  return `  ${result.padEnd(7)}  ${step}: ${message}${advice === undefined ? '' : ` -> ${advice}`}`;
}

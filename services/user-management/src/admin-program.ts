import { DirectoryClient, type FhirVersion, type HealthSystemEndpoint, fhirVersion } from '@tributary/contracts';
import { keysCommand } from '@tributary/key-providers';
import {
  type RecordSubjects,
  ServiceRuntime,
  createLog,
  flag,
  readConfig,
  readNamedFile,
  tlsFiles,
} from '@tributary/service-kit';
import { Command, InvalidArgumentError, Option } from 'commander';
import { SigningKeys } from './client-keys/signing-keys';
import { z } from 'zod';
import { registrationCheckConfig, registrationConfig, vaultConfig } from './config';
import { callbackName } from './connect/connect-request';
import { addConnectionCommands } from './connections/connection-commands';
import { listRetainedConsents } from './consent/retained-consents';
import { type ServiceDatabase, openServiceDatabase } from './database/open-database';
import { listProblems, retryClientProblems } from './grants/client-problems';
import { addPauseCommands } from './health-systems/pause-commands';
import { PausedHosts } from './health-systems/paused-hosts';
import { type AuthMethod, type Registration, authMethods } from './health-systems/registration';
import { Registrations } from './health-systems/registrations';
import { OutboundHttp } from './outbound/outbound-http';
import { type HealthSystemOutcomes, listOutcomes } from './outcomes/connect-outcomes';
import { checkRegistration } from './registration-check/check-registration';
import type { CheckStep } from './registration-check/check-step';
import { serviceName } from './resources';
import { addWebhookCommands } from './webhooks/webhook-commands';

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

/** PostgreSQL has no times before 4713 BC. */
const maxDays = 1_000_000;

/**
 * The command-line interface for the operator.
 * @param print writes a line to standard output
 * @param stop ends commands that run until they are stopped
 * @param recordSubjects records in the audit log on whom a command acts
 */
export function adminProgram(
  print: (line: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
  stop: AbortSignal = new AbortController().signal,
  recordSubjects: RecordSubjects = () => Promise.resolve(),
): Command {
  const program = new Command()
    .description('The registrations and signing keys of our client at health systems.')
    .exitOverride();
  const withDatabase = async (work: (opened: ServiceDatabase) => Promise<void>): Promise<void> => {
    const opened = await openServiceDatabase(readConfig(vaultConfig, environment));
    try {
      await work(opened);
    } finally {
      await opened.database.destroy();
    }
  };
  const withRegistrations = (
    work: (registrations: Registrations, opened: ServiceDatabase) => Promise<void>,
  ): Promise<void> => {
    const { BASE_URL } = readConfig(registrationConfig, environment);
    return withDatabase((opened) =>
      work(new Registrations(opened.database, opened.keys, `${BASE_URL}/connect/callback`), opened),
    );
  };
  const forTarget = (command: Command): Command =>
    command
      .option('--fhir-base <url>', 'the FHIR base URL of one health system')
      .option('--host <host>', 'every FHIR base on this host, host:port or *.domain');

  const registration = program.command('registration').description('registrations of our client at health systems');
  forTarget(
    registration.command('set').description('add a registration, or replace the one of the same FHIR base or host'),
  )
    .requiredOption('--client-id <id>', 'the client_id that the health system issued')
    .option('--client-secret <secret>', 'the client_secret that the health system issued')
    .option('--client-secret-file <file>', 'a file that holds the client_secret')
    .addOption(
      new Option('--auth-method <method>', 'the method of client authentication at the token endpoint')
        .choices(authMethods)
        .makeOptionMandatory(),
    )
    .option('--scopes <scopes>', 'scopes to request instead of the default ones')
    .addOption(
      new Option(
        '--callback <name>',
        'the redirect_uri at the health system becomes {base_url}/connect/callback/<name>, of no other health system; "" for {base_url}/connect/callback',
      ).argParser(callbackOf),
    )
    .action(async (options: RegistrationOptions) => {
      const target = targetOf(options);
      const clientSecret = options.clientSecretFile
        ? readNamedFile(options.clientSecretFile).trim()
        : options.clientSecret;
      if (options.authMethod.startsWith('client_secret') !== (clientSecret !== undefined))
        throw new Error(`${options.authMethod} ${clientSecret === undefined ? 'needs a' : 'takes no'} client secret`);
      await withRegistrations(async (registrations, { database }) => {
        const { clientId, authMethod, scopes, callback } = options;
        const redirectUri = await registrations.set({
          ...target,
          clientId,
          clientSecret,
          authMethod,
          scopes,
          callback,
        });
        await retryClientProblems(database);
        print(`registered as ${clientId} at ${target.pattern}, with the redirect_uri ${redirectUri}`);
      });
    });
  registration
    .command('list')
    .description('all registrations, without their secrets')
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      await withRegistrations(async (registrations) => {
        const all = (await registrations.list()).map((each) => registrationEntry(each, registrations));
        if (json) print(JSON.stringify({ entry: all }));
        else
          for (const entry of all)
            print(
              `${entry.fhir_base ?? entry.host}  ${entry.client_id}  ${entry.auth_method}  ${entry.redirect_uri}${entry.scopes ? `  ${entry.scopes}` : ''}`,
            );
      });
    });
  registration
    .command('test <health-system>')
    .description(
      'go through the steps of connecting without a user: discovery, scopes, addresses, client authentication',
    )
    .addHelpText('after', '\n<health-system> is its id in the directory, or a FHIR base URL.')
    .addOption(new Option('--release <release>', 'of a FHIR base URL').choices(fhirVersion.options).default('r4'))
    .option('--json', 'as JSON, one line for each step')
    .action(async (healthSystem: string, { release, json }: { release: FhirVersion; json?: boolean }) => {
      const settings = readConfig(registrationCheckConfig, environment);
      let failures = 0;
      await withRegistrations(async (registrations, { database, keys }) => {
        const on = {
          http: new OutboundHttp({ allowPrivateAddresses: settings.SANDBOX_MODE }),
          registrations,
          signingKeys: new SigningKeys(database, keys),
          jwksUrl: `${settings.BASE_URL}/connect/jwks.json`,
        };
        for (const endpoint of await endpointsOf(healthSystem, release, settings)) {
          if (!json) print(`${endpoint.fhir_base_url} (${endpoint.fhirVersion})`);
          for await (const step of checkRegistration(on, endpoint)) {
            if (step.result === 'failed') failures++;
            print(json ? JSON.stringify({ ...endpoint, ...step }) : stepLine(step));
          }
        }
      });
      if (failures > 0) throw new Error(failures === 1 ? 'one step failed' : `${failures} steps failed`);
    });
  forTarget(registration.command('remove').description('remove a registration')).action(async (options: Target) => {
    const { matches, pattern } = targetOf(options);
    await withRegistrations(async (registrations) => {
      if (!(await registrations.remove(matches, pattern))) throw new Error('there is no such registration');
    });
    print(`removed the registration at ${pattern}`);
  });

  const connection = program.command('connection').description('connections of users to health systems');
  connection
    .command('problems')
    .description('health systems whose collections wait: for a correct registration, or for the health system')
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      await withDatabase(async ({ database }) => {
        const all = await listProblems(database);
        if (json) print(JSON.stringify({ entry: all }));
        else
          for (const entry of all)
            print(
              `${entry.health_system_id}  ${entry.health_system_name}  ${entry.fhir_base_url}  ${entry.problem}  connections: ${entry.connections}  since ${entry.since.toISOString()}`,
            );
      });
    });

  connection
    .command('outcomes')
    .description('per health system: connects by result, failed refreshes, collections by result, refused types')
    .option('--days <days>', 'the period: today (UTC) and the days before it', daysArgument, 7)
    .option('--health-system <id>', 'one health system only', positiveInteger)
    .option('--json', 'as JSON')
    .action(async ({ days, healthSystem, json }: { days: number; healthSystem?: number; json?: boolean }) => {
      await withDatabase(async ({ database }) => {
        const all = await listOutcomes(database, days, healthSystem);
        if (all.length === 0 && healthSystem !== undefined)
          await endpointsOf(String(healthSystem), 'r4', readConfig(registrationCheckConfig, environment));
        if (json) print(JSON.stringify({ days, entry: all }));
        else for (const entry of all) for (const line of outcomeLines(entry)) print(line);
      });
    });

  addConnectionCommands(connection, {
    recordSubjects,
    print,
    withDatabase: (work) => withDatabase(({ database }) => work(database)),
  });

  program
    .command('consent')
    .description('consents of users to connections')
    .command('retained')
    .description('the consents of a user who is deleted: kept for six years after they have ended')
    .requiredOption('--service-user-id <id>', 'the user', positiveInteger)
    .action(async ({ serviceUserId }: { serviceUserId: number }) => {
      await withDatabase(async ({ database, keys }) => {
        const entry = await listRetainedConsents(database, keys, serviceUserId);
        if (entry.length === 0)
          throw new Error('no consents are kept of this user, who is unknown, not deleted, or had none');
        const clients = new Set(entry.map(({ client_id }) => client_id));
        await recordSubjects([...clients].map((clientId) => ({ serviceUserId, clientId })));
        print(JSON.stringify({ entry }));
      });
    });

  addPauseCommands(program, {
    print,
    withPausedHosts: (work) => withDatabase(({ database }) => work(new PausedHosts(database))),
    fhirBasesOf: async (id) =>
      (await endpointsOf(id, 'r4', readConfig(registrationCheckConfig, environment))).map(
        ({ fhir_base_url }) => fhir_base_url,
      ),
  });

  const signingKeys = program
    .command('signing-keys')
    .description('the signing keys of our client, published at {base_url}/connect/jwks.json');
  signingKeys
    .command('rotate')
    .description('publish new keys, which sign after 24 hours; the old ones stay published for a week longer')
    .option('--now', 'after a leak: sign with new keys at once, and withdraw the old ones')
    .action(async ({ now }: { now?: boolean }) => {
      await withDatabase(({ database, keys }) => {
        const signingKeys = new SigningKeys(database, keys);
        return now ? signingKeys.replace() : signingKeys.rotate();
      });
      print(
        now
          ? 'new keys sign; the old ones are withdrawn, and health systems that have cached them refuse us until they read our JWK Set again'
          : 'new keys are published and sign from tomorrow on',
      );
    });
  program.addCommand(
    keysCommand({
      withKeyring: (work) => withDatabase(({ kek, scopedKeys: keys }) => work({ service: serviceName, kek, keys })),
      print,
      report: (line) => process.stderr.write(`${line}\n`),
      setExitStatus: (status) => (process.exitCode = status),
    }),
  );
  addWebhookCommands(program, {
    print,
    stop,
    http: () =>
      new OutboundHttp({
        allowPrivateAddresses: readConfig(z.object({ SANDBOX_MODE: flag }), environment).SANDBOX_MODE,
      }),
  });
  return program;
}

function targetOf({ fhirBase, host }: Target): { matches: Registration['matches']; pattern: string } {
  if ((fhirBase === undefined) === (host === undefined)) throw new Error('give either --fhir-base or --host');
  if (fhirBase !== undefined && !/^https?:\/\//i.test(fhirBase)) throw new Error('--fhir-base must be an http(s) URL');
  if (host !== undefined && !/^(\*\.)?[A-Za-z0-9.[\]:-]+$/.test(host))
    throw new Error('--host must be a host, host:port or *.domain');
  return fhirBase === undefined
    ? { matches: 'host', pattern: host ?? '' }
    : { matches: 'fhir_base', pattern: fhirBase };
}

/** @throws Error that says what is wrong with the name */
async function endpointsOf(
  healthSystem: string,
  release: FhirVersion,
  settings: z.output<typeof registrationCheckConfig>,
): Promise<HealthSystemEndpoint[]> {
  const { SEARCH_INTERNAL_URL, SERVICE_KEY } = settings;
  if (/^https?:\/\//i.test(healthSystem) && URL.canParse(healthSystem))
    return [{ fhirVersion: release, fhir_base_url: healthSystem }];
  if (!/^[1-9][0-9]{0,14}$/.test(healthSystem)) throw new Error('give the id of a health system, or a FHIR base URL');
  if (SEARCH_INTERNAL_URL === undefined || SERVICE_KEY === undefined)
    throw new Error('an id needs SEARCH_INTERNAL_URL and SERVICE_KEY in the environment; or give the FHIR base URL');
  const runtime = await ServiceRuntime.open(
    { name: serviceName, serviceKey: SERVICE_KEY, tls: tlsFiles(settings) },
    createLog(serviceName, 'warn'),
  );
  const search = new DirectoryClient(runtime.internalHttp('search', SEARCH_INTERNAL_URL));
  const found = await search.findHealthSystem(Number(healthSystem)).finally(() => runtime.close());
  if (!found) throw new Error('the directory has no such health system');
  return found.endpoints;
}

function stepLine({ step, result, message, advice }: CheckStep): string {
  return `  ${result.padEnd(7)}  ${step}: ${message}${advice === undefined ? '' : ` -> ${advice}`}`;
}

function registrationEntry(
  { matches, pattern, clientId, authMethod, scopes, callback }: Registration,
  registrations: Registrations,
): {
  fhir_base?: string;
  host?: string;
  client_id: string;
  auth_method: AuthMethod;
  redirect_uri: string;
  scopes?: string;
} {
  return {
    [matches]: pattern,
    client_id: clientId,
    auth_method: authMethod,
    redirect_uri: registrations.redirectUri(callback),
    ...(scopes ? { scopes } : {}),
  };
}

function outcomeLines(entry: HealthSystemOutcomes): string[] {
  const { connects, refresh_failures, collections, types_refused } = entry;
  const counts = (of: Record<string, number>): string =>
    Object.entries(of)
      .sort(([, one], [, other]) => other - one)
      .map(([reason, occurrences]) => `${reason} ${occurrences}`)
      .join(', ') || 'none';
  return [
    `${entry.health_system_id}  ${entry.health_system_name}`,
    `  connects: started ${connects.started}, connected ${connects.connected}, failed: ${counts(connects.failed)}`,
    `  failed refreshes: ${counts(refresh_failures)}`,
    `  collections: ${counts(collections)}`,
    `  refused types: ${counts(types_refused)}`,
  ];
}

/** @throws InvalidArgumentError */
function callbackOf(name: string): string | null {
  if (name === '') return null;
  if (!callbackName.safeParse(name).success)
    throw new InvalidArgumentError('It must have up to 64 letters, digits, dots, hyphens and underscores.');
  return name;
}

/** @throws InvalidArgumentError */
function daysArgument(text: string): number {
  const days = positiveInteger(text);
  if (days > maxDays) throw new InvalidArgumentError(`It must be at most ${maxDays}.`);
  return days;
}

/** @throws InvalidArgumentError */
function positiveInteger(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a positive integer.');
  return Number(text);
}

import { DirectoryClient, type FhirVersion, type HealthSystemEndpoint } from '@tributary/contracts';
import { type RecordSubjects, ServiceRuntime, argument, createLog, readConfig, tlsFiles } from '@tributary/service-kit';
import type { Command } from 'commander';
import { registrationCheckConfig, serviceName, vaultConfig } from './config';
import { type ServiceDatabase, openServiceDatabase } from './database/open-database';
import { endpointsOfNamed } from './health-systems/named-health-system';

export interface CommandContext {
  environment: NodeJS.ProcessEnv;
  /** Writes a line to standard output. */
  print: (line: string) => void;
  /** Records in the audit log on whom a command acts. */
  recordSubjects: RecordSubjects;
  /** Ends commands that run until they are stopped. */
  stop: AbortSignal;
}

export async function withDatabase(
  { environment }: CommandContext,
  work: (opened: ServiceDatabase) => Promise<void>,
): Promise<void> {
  const opened = await openServiceDatabase(readConfig(vaultConfig, environment));
  try {
    await work(opened);
  } finally {
    await opened.database.destroy();
  }
}

export interface JsonOption {
  json?: boolean;
}

/** Prints a list as one JSON text, or as a line for each entry. */
export function printEntries<Entry>(
  { print }: CommandContext,
  { json }: JsonOption,
  entry: readonly Entry[],
  lineOf: (entry: Entry) => string,
): void {
  if (json) print(JSON.stringify({ entry }));
  else entry.map(lineOf).forEach((line) => print(line));
}

export const positiveInteger = argument(
  (text) => (/^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined),
  'It must be a positive integer.',
);

export function jsonOption(command: Command): Command {
  return command.option('--json', 'as JSON');
}

/**
 * The endpoints of a health system that is named by its id in the directory, or by a FHIR base URL.
 * @param release of a FHIR base URL
 * @throws Error that says what is wrong with the name
 */
export function endpointsOf(
  { environment }: CommandContext,
  healthSystem: string,
  release: FhirVersion = 'r4',
): Promise<HealthSystemEndpoint[]> {
  const settings = readConfig(registrationCheckConfig, environment);
  const { SEARCH_INTERNAL_URL, SERVICE_KEY } = settings;
  return endpointsOfNamed(
    async (id) => {
      if (SEARCH_INTERNAL_URL === undefined || SERVICE_KEY === undefined)
        throw new Error(
          'an id needs SEARCH_INTERNAL_URL and SERVICE_KEY in the environment; or give the FHIR base URL',
        );
      const runtime = await ServiceRuntime.open(
        { name: serviceName, serviceKey: SERVICE_KEY, tls: tlsFiles(settings) },
        createLog(serviceName, 'warn'),
      );
      const search = new DirectoryClient(runtime.internalHttp('search', SEARCH_INTERNAL_URL));
      return search.findHealthSystem(id).finally(() => runtime.close());
    },
    healthSystem,
    release,
  );
}

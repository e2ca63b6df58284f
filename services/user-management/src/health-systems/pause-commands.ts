import { type Command, InvalidArgumentError } from 'commander';
import type { PausedHosts } from './paused-hosts';

export interface PauseCommandContext {
  print(line: string): void;
  withPausedHosts(work: (paused: PausedHosts) => Promise<void>): Promise<void>;
  /** The FHIR base URLs of a health system of the directory. @throws Error when there is none */
  fhirBasesOf(healthSystemId: string): Promise<string[]>;
}

/** Adds `health-system pause`, `resume` and `paused`. */
export function addPauseCommands(program: Command, { print, withPausedHosts, fhirBasesOf }: PauseCommandContext): void {
  const healthSystem = program.command('health-system').description('requests to the hosts of health systems');
  const target = 'a host (host or host:port), or the id of a health system in the directory';
  const hostsOf = async (named: string): Promise<string[]> =>
    /^\d+$/.test(named)
      ? [...new Set((await fhirBasesOf(named)).map((url) => new URL(url).host))]
      : [new URL(`https://${named}`).host];

  healthSystem
    .command('pause')
    .description('send nothing to a host until it is resumed: no collection and no token request')
    .argument('<host-or-id>', target, hostArgument)
    .requiredOption('--reason <reason>', 'why, for other operators', reasonArgument)
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nConnections wait with the status that they have. Users who connect get system_unavailable.',
    )
    .action(async (named: string, { reason, json }: { reason: string; json?: boolean }) => {
      const hosts = await hostsOf(named);
      await withPausedHosts(async (paused) => {
        for (const host of hosts) await paused.pause(host, reason);
      });
      print(json ? JSON.stringify({ paused: hosts }) : `paused: ${hosts.join(', ')}`);
    });

  healthSystem
    .command('resume')
    .description('let the collections of a paused host continue at once')
    .argument('<host-or-id>', target, hostArgument)
    .option('--json', 'as JSON')
    .action(async (named: string, { json }: { json?: boolean }) => {
      const hosts = await hostsOf(named);
      const resumed: string[] = [];
      await withPausedHosts(async (paused) => {
        for (const host of hosts) if (await paused.resume(host)) resumed.push(host);
      });
      if (resumed.length === 0) throw new Error('this host is not paused');
      print(json ? JSON.stringify({ resumed }) : `resumed: ${resumed.join(', ')}`);
    });

  healthSystem
    .command('paused')
    .description('the paused hosts, since when and why, and how many collections wait')
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      await withPausedHosts(async (paused) => {
        const all = await paused.list();
        if (json) print(JSON.stringify({ entry: all }));
        else
          for (const { host, reason, paused_at, waiting } of all)
            print(`${host}  since ${paused_at.toISOString()}  collections: ${waiting}  ${reason}`);
      });
    });
}

function hostArgument(text: string): string {
  const isHost = /^[A-Za-z0-9.[\]:-]+$/.test(text) && URL.canParse(`https://${text}`);
  if (!isHost) throw new InvalidArgumentError('It must be a host, host:port or the id of a health system.');
  return text;
}

function reasonArgument(text: string): string {
  const reason = text.trim();
  if (reason === '' || reason.length > 200 || /\p{Cc}/u.test(reason))
    throw new InvalidArgumentError('It must have 1 to 200 characters.');
  return reason;
}

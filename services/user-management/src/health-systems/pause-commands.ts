import { namedHost, pauseReason } from '@tributary/contracts';
import { argument } from '@tributary/service-kit';
import type { Command } from 'commander';
import {
  type CommandContext,
  type JsonOption,
  endpointsOf,
  jsonOption,
  printEntries,
  withDatabase,
} from '../command-context';
import { hostsOfNamed } from './named-health-system';
import { PausedHosts } from './paused-hosts';

const hostArgument = argument(
  (text) => namedHost.safeParse(text).data,
  'It must be a host, host:port or the id of a health system.',
);
const reasonArgument = argument((text) => pauseReason.safeParse(text).data, 'It must have 1 to 200 characters.');

/** Adds `health-system pause`, `resume` and `paused`. */
export function addPauseCommands(program: Command, context: CommandContext): void {
  const { print } = context;
  const healthSystem = program.command('health-system').description('requests to the hosts of health systems');
  const target = 'a host (host or host:port), or the id of a health system in the directory';
  const withPausedHosts = (work: (paused: PausedHosts) => Promise<void>): Promise<void> =>
    withDatabase(context, ({ database }) => work(new PausedHosts(database)));
  const hostsOf = (named: string): Promise<string[]> => hostsOfNamed(named, (id) => endpointsOf(context, id));

  jsonOption(healthSystem.command('pause'))
    .description('send nothing to a host until it is resumed: no collection and no token request')
    .argument('<host-or-id>', target, hostArgument)
    .requiredOption('--reason <reason>', 'why, for other operators', reasonArgument)
    .addHelpText(
      'after',
      '\nConnections wait with the status that they have. Users who connect get system_unavailable.',
    )
    .action(async (named: string, { reason, json }: JsonOption & { reason: string }) => {
      const hosts = await hostsOf(named);
      await withPausedHosts(async (paused) => {
        for (const host of hosts) await paused.pause(host, reason);
      });
      print(json ? JSON.stringify({ paused: hosts }) : `paused: ${hosts.join(', ')}`);
    });

  jsonOption(healthSystem.command('resume'))
    .description('let the collections of a paused host continue at once')
    .argument('<host-or-id>', target, hostArgument)
    .action(async (named: string, { json }: JsonOption) => {
      const hosts = await hostsOf(named);
      const resumed: string[] = [];
      await withPausedHosts(async (paused) => {
        for (const host of hosts) if (await paused.resume(host)) resumed.push(host);
      });
      if (resumed.length === 0) throw new Error('this host is not paused');
      print(json ? JSON.stringify({ resumed }) : `resumed: ${resumed.join(', ')}`);
    });

  jsonOption(healthSystem.command('paused'))
    .description('the paused hosts, since when and why, and how many collections wait')
    .action((options: JsonOption) =>
      withPausedHosts(async (paused) =>
        printEntries(
          context,
          options,
          await paused.list(),
          ({ host, reason, paused_at, waiting }) => `${host}  since ${paused_at}  collections: ${waiting}  ${reason}`,
        ),
      ),
    );
}

import { type ClientMode, clientMode } from '@tributary/contracts';
import { type RecordSubjects, argument, weakness } from '@tributary/service-kit';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { ClientApplications, RegisteredClient } from './client-applications';
import { isClientId, isClientSecret, newClientId, newClientSecret } from './client-credentials';
import { maxOverlapHours, overlapHours } from './client-settings';
import { type KeyOptions, withKeyOptions } from './key-options';
import { type SettingOptions, settingsOfOptions, withSettingOptions } from './setting-options';

export interface CommandContext {
  recordSubjects: RecordSubjects;
  withClients<T>(work: (clients: ClientApplications) => Promise<T>): Promise<T>;
  /** Forgets the failed attempts of a client, which delay further ones, because its credentials have changed. */
  forgetFailures(clientId: string): Promise<void>;
  print(text: string): void;
  /** Allows JWKS URLs on http and on private addresses. */
  sandboxMode: boolean;
}

interface CreateOptions extends KeyOptions, SettingOptions {
  name: string;
  mode: ClientMode;
  redirectUri: string[];
  clientId?: string;
  clientSecret?: string;
  json?: true;
}

/**
 * The operator's commands for client applications: `client create`, `list`, `set`, `rotate-secret`, `set-jwks`,
 * `disable`, `enable`, `delete`.
 */
export function clientCommands({
  recordSubjects,
  withClients,
  forgetFailures,
  print,
  sandboxMode,
}: CommandContext): Command {
  const program = new Command('admin')
    .description("the operator's commands of auth; DATABASE_URL names its database")
    .exitOverride();
  const client = program.command('client').description('client applications');
  /** Records whose client is changed, changes it, and prints it. */
  const change = async (
    command: Command,
    clientId: string,
    json: true | undefined,
    work: (clients: ClientApplications) => Promise<PrintedClient | undefined>,
  ): Promise<void> => {
    await recordSubjects([{ clientId }]);
    const changed = (await withClients(work)) ?? command.error('error: there is no such client');
    print(json ? JSON.stringify(changed) : format(changed));
  };

  withSettingOptions(withKeyOptions(client.command('create'), sandboxMode), { isNew: true, sandboxMode })
    .description('register a client application and print its secret, this once')
    .addOption(
      new Option(
        '--mode <mode>',
        'test: its users connect to test systems only, such as the sandbox; live: never to these. It cannot be changed later',
      )
        .choices(clientMode.options)
        .default('test'),
    )
    .option('--client-id <id>', 'instead of a new one; needs --client-secret', clientIdArgument)
    .option('--client-secret <secret>', 'instead of a new one; needs --client-id', clientSecretArgument)
    .option('--json', 'print JSON')
    .action(
      async (
        {
          name,
          mode,
          redirectUri: redirectUris,
          clientId,
          clientSecret,
          json,
          jwks,
          jwksUrl,
          ...options
        }: CreateOptions,
        command: Command,
      ) => {
        if ((clientId === undefined) !== (clientSecret === undefined))
          command.error('error: --client-id and --client-secret go together');
        const credentials = {
          clientId: clientId ?? newClientId(mode),
          clientSecret: clientSecret ?? newClientSecret(mode),
        };
        await change(command, credentials.clientId, json, (clients) =>
          clients.create({ ...settingsOfOptions(options), mode, credentials, name, redirectUris, jwks, jwksUrl }),
        );
      },
    );

  client
    .command('list')
    .description('all client applications')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const all = await withClients((clients) => clients.list());
      if (json) print(JSON.stringify(all));
      else if (all.length === 0) print('There is no client application yet.');
      else
        for (const { client_id, mode, name, redirect_uris, disabled_at, deletion_at } of all) {
          const state = deletion_at
            ? `  to be deleted from ${deletion_at} on`
            : disabled_at && `  disabled since ${disabled_at}`;
          print(`${client_id}  ${mode}  ${name}  ${redirect_uris.join(' ')}${state ?? ''}`);
        }
    });

  withSettingOptions(client.command('set'), { isNew: false, sandboxMode })
    .description(
      'change settings of a client application; what its users consent to changes for later connects, earlier consents stay',
    )
    .argument('<client-id>', 'whose')
    .option('--json', 'print JSON')
    .action(async (clientId: string, { json, ...options }: SettingOptions & { json?: true }, command: Command) => {
      if (Object.keys(options).length === 0)
        command.error(
          'error: give at least one of --name, --redirect-uri, --types, --consent-days, --people, --logo, --frame-origin, --organisation and --no-organisation',
        );
      await change(command, clientId, json, (clients) => clients.set(clientId, settingsOfOptions(options)));
    });

  client
    .command('rotate-secret')
    .description('give a client application a new secret and print it, this once')
    .argument('<client-id>', 'whose')
    .addOption(
      new Option(
        '--overlap-hours <hours>',
        `for how long the old secret still works, up to ${maxOverlapHours}; without it, the old one stops working at once`,
      ).argParser(
        argument(
          (text) => overlapHours.safeParse(Number(text)).data,
          `It must be a number of hours from 0 to ${maxOverlapHours}.`,
        ),
      ),
    )
    .option('--json', 'print JSON')
    .action(
      async (clientId: string, { overlapHours, json }: { overlapHours?: number; json?: true }, command: Command) => {
        await change(command, clientId, json, (clients) => clients.rotateSecret(clientId, overlapHours));
        await forgetFailures(clientId);
      },
    );

  withKeyOptions(client.command('set-jwks'), sandboxMode)
    .description(
      'register the public keys with which a client application signs its requests for tokens, instead of those before',
    )
    .argument('<client-id>', 'whose')
    .option('--none', 'remove its keys, so that only its secret works')
    .option('--json', 'print JSON')
    .action(
      async (
        clientId: string,
        { none, json, jwks, jwksUrl }: KeyOptions & { none?: true; json?: true },
        command: Command,
      ) => {
        if ((jwks === undefined && jwksUrl === undefined) !== (none === true))
          command.error('error: give one of --jwks, --jwks-url and --none');
        const keys = none ? ({ jwks: 'none', jwksUrl: 'none' } as const) : { jwks, jwksUrl };
        await change(command, clientId, json, (clients) => clients.set(clientId, keys));
        await forgetFailures(clientId);
      },
    );

  for (const [name, description] of [
    [
      'disable',
      'stop a client application: its credentials, codes and all tokens of its users stop working at once, until it is enabled',
    ],
    ['enable', 'let a disabled client application work again, with those of its tokens that have not expired'],
  ] as const)
    client
      .command(name)
      .description(description)
      .argument('<client-id>', 'whose')
      .option('--json', 'print JSON')
      .action(async (clientId: string, { json }: { json?: true }, command: Command) => {
        await change(command, clientId, json, async (clients) => {
          const changed = await clients[name](clientId);
          if (name === 'enable' && changed?.deletion_at) command.error('error: this client is being deleted');
          return changed;
        });
        if (name === 'enable') await forgetFailures(clientId);
      });

  client
    .command('delete')
    .description(
      'delete a client application with all of its users and their records, which cannot be undone: it stops working at once, the rest follows in the background a minute later, and `client list` shows it until then',
    )
    .argument('<client-id>', 'which')
    .requiredOption('--confirm <name>', 'its display name, to show that it is the right one')
    .option('--json', 'print JSON')
    .action(async (clientId: string, { confirm, json }: { confirm: string; json?: true }, command: Command) => {
      await change(command, clientId, json, async (clients) => {
        const found = await clients.findRegistered(clientId);
        if (found && found.name !== confirm)
          command.error(`error: --confirm is not the name of this client, which is ${found.name}`);
        return found && clients.deleteLater(clientId, 60);
      });
    });

  return program;
}

type PrintedClient = RegisteredClient & { client_secret?: string };

function format({
  client_id,
  name,
  mode,
  client_secret,
  redirect_uris,
  jwks,
  jwks_url,
  requested_types,
  consent_days,
  people,
  logo,
  frame_origins,
  organisation_id,
  previous_secret_expires_at: previousEnd,
  disabled_at,
  deletion_at: deletionAt,
}: PrintedClient): string {
  return [
    `name           ${name}`,
    `client_id      ${client_id}`,
    `mode           ${mode}`,
    ...(client_secret ? [`client_secret  ${client_secret}`] : []),
    `people         ${people}`,
    ...redirect_uris.map((uri) => `redirect_uri   ${uri}`),
    ...(jwks ? [`jwks           ${jwks.keys.length === 1 ? 'one key' : `${jwks.keys.length} keys`}`] : []),
    ...(jwks_url ? [`jwks_url       ${jwks_url}`] : []),
    ...(requested_types ? [`types          ${requested_types.join(', ')}`] : []),
    ...(consent_days === undefined ? [] : [`consent_days   ${consent_days}`]),
    ...(logo ? ['logo           yes'] : []),
    ...(frame_origins ?? []).map((origin) => `frame_origin   ${origin}`),
    ...(organisation_id === undefined ? [] : [`organisation   ${organisation_id}`]),
    ...(previousEnd ? [`old secret     works until ${previousEnd}`] : []),
    ...(disabled_at ? [`disabled_at    ${disabled_at}`] : []),
    ...(deletionAt ? [`deletion_at    ${deletionAt}`] : []),
    ...(client_secret ? ['Keep the secret now: it cannot be shown again.'] : []),
  ].join('\n');
}

export const clientIdArgument = argument(
  (text) => (isClientId(text) ? text : undefined),
  'It must have 1 to 128 letters, digits or . _ ~ -',
);

function clientSecretArgument(text: string): string {
  if (!isClientSecret(text)) throw new InvalidArgumentError('It must have 32 to 128 letters, digits or . _ ~ -');
  const problem = weakness(text, 32);
  if (problem) throw new InvalidArgumentError(`It ${problem}.`);
  return text;
}

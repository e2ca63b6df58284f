import { type ClientMode, clientMode } from '@tributary/contracts';
import { type RecordSubjects, weakness } from '@tributary/service-kit';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { ClientApplications, ClientWithSecret, RegisteredClient } from './client-applications';
import { isClientId, isClientSecret, newClientId, newClientSecret } from './client-credentials';
import { type ConsentOptions, withConsentOptions } from './consent-options';
import { type KeyOptions, keysOfOptions, withKeyOptions } from './key-options';
import { redirectUriProblem } from './redirect-uri';

export interface CommandContext {
  recordSubjects: RecordSubjects;
  withClients<T>(work: (clients: ClientApplications) => Promise<T>): Promise<T>;
  /** Forgets the failed attempts of a client, which delay further ones, because its credentials have changed. */
  forgetFailures(clientId: string): Promise<void>;
  print(text: string): void;
  /** Allows JWKS URLs on http and on private addresses. */
  sandboxMode: boolean;
}

interface CreateOptions extends KeyOptions, ConsentOptions {
  name: string;
  mode: ClientMode;
  redirectUri: string[];
  clientId?: string;
  clientSecret?: string;
  json?: true;
}

/**
 * The operator's commands for client applications: `client create`, `list`, `set`, `rotate-secret`, `set-jwks`,
 * `disable`, `enable`.
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

  withConsentOptions(withKeyOptions(client.command('create'), sandboxMode))
    .description('register a client application and print its secret, this once')
    .requiredOption('--name <name>', 'its display name', nameArgument)
    .addOption(
      new Option(
        '--mode <mode>',
        'test: its users connect to test systems only, such as the sandbox; live: never to these. It cannot be changed later',
      )
        .choices(clientMode.options)
        .default('test'),
    )
    .requiredOption('--redirect-uri <uri>', 'its redirect URI; can be repeated', redirectUriArgument)
    .option('--client-id <id>', 'instead of a new one; needs --client-secret', clientIdArgument)
    .option('--client-secret <secret>', 'instead of a new one; needs --client-id', clientSecretArgument)
    .option('--json', 'print JSON')
    .action(
      async (
        {
          name,
          mode,
          redirectUri,
          clientId,
          clientSecret,
          types,
          consentDays,
          people,
          json,
          ...keyOptions
        }: CreateOptions,
        command: Command,
      ) => {
        if ((clientId === undefined) !== (clientSecret === undefined))
          command.error('error: --client-id and --client-secret go together');
        const keys = keysOfOptions(keyOptions);
        const credentials = {
          clientId: clientId ?? newClientId(mode),
          clientSecret: clientSecret ?? newClientSecret(mode),
        };
        await recordSubjects([{ clientId: credentials.clientId }]);
        const created = await withClients((clients) =>
          clients.create({
            name,
            mode,
            redirectUris: redirectUri,
            credentials,
            ...(keys ? { keys } : {}),
            consent: {
              ...(types ? { types } : {}),
              ...(consentDays === undefined ? {} : { consentDays }),
              ...(people ? { people } : {}),
            },
          }),
        );
        print(json ? JSON.stringify(created) : formatWithSecret(created));
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
        for (const { client_id, mode, name, redirect_uris, disabled_at } of all)
          print(
            `${client_id}  ${mode}  ${name}  ${redirect_uris.join(' ')}${disabled_at ? `  disabled since ${disabled_at}` : ''}`,
          );
    });

  withConsentOptions(client.command('set'))
    .description('change what the users of a client application consent to when they connect; earlier consents stay')
    .argument('<client-id>', 'whose')
    .option('--json', 'print JSON')
    .action(async (clientId: string, { json, ...consent }: ConsentOptions & { json?: true }, command: Command) => {
      if (Object.keys(consent).length === 0) command.error('error: give --types, --consent-days or --people');
      await recordSubjects([{ clientId }]);
      const changed = await withClients((clients) => clients.setConsent(clientId, consent));
      if (!changed) return command.error('error: there is no such client');
      print(json ? JSON.stringify(changed) : formatClient(changed).join('\n'));
    });

  client
    .command('rotate-secret')
    .description('give a client application a new secret and print it, this once; the old one stops working at once')
    .argument('<client-id>', 'whose')
    .option('--json', 'print JSON')
    .action(async (clientId: string, { json }: { json?: true }, command: Command) => {
      await recordSubjects([{ clientId }]);
      const rotated = await withClients((clients) => clients.rotateSecret(clientId));
      if (!rotated) return command.error('error: there is no such client');
      print(json ? JSON.stringify(rotated) : formatWithSecret(rotated));
      await forgetFailures(clientId);
    });

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
        { none, json, ...keyOptions }: KeyOptions & { none?: true; json?: true },
        command: Command,
      ) => {
        const keys = keysOfOptions(keyOptions);
        if ((keys === undefined) !== (none === true)) command.error('error: give one of --jwks, --jwks-url and --none');
        await recordSubjects([{ clientId }]);
        const registered = await withClients((clients) => clients.setKeys(clientId, keys));
        if (!registered) return command.error('error: there is no such client');
        print(json ? JSON.stringify(registered) : formatClient(registered).join('\n'));
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
        await recordSubjects([{ clientId }]);
        const changed = await withClients((clients) => clients[name](clientId));
        if (!changed) return command.error('error: there is no such client');
        print(json ? JSON.stringify(changed) : formatClient(changed).join('\n'));
        if (name === 'enable') await forgetFailures(clientId);
      });

  return program;
}

function formatWithSecret(client: ClientWithSecret): string {
  const [name = '', id = '', mode = '', ...rest] = formatClient(client);
  return [
    name,
    id,
    mode,
    `client_secret  ${client.client_secret}`,
    ...rest,
    'Keep the secret now: it cannot be shown again.',
  ].join('\n');
}

function formatClient({
  client_id,
  name,
  mode,
  redirect_uris,
  jwks,
  jwks_url,
  requested_types,
  consent_days,
  people,
  disabled_at,
}: RegisteredClient): string[] {
  const keys = [
    ...(jwks ? [`jwks           ${jwks.keys.length === 1 ? 'one key' : `${jwks.keys.length} keys`}`] : []),
    ...(jwks_url ? [`jwks_url       ${jwks_url}`] : []),
  ];
  return [
    `name           ${name}`,
    `client_id      ${client_id}`,
    `mode           ${mode}`,
    `people         ${people}`,
    ...redirect_uris.map((uri) => `redirect_uri   ${uri}`),
    ...keys,
    ...(requested_types ? [`types          ${requested_types.join(', ')}`] : []),
    ...(consent_days === undefined ? [] : [`consent_days   ${consent_days}`]),
    ...(disabled_at ? [`disabled_at    ${disabled_at}`] : []),
  ];
}

function nameArgument(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 200) throw new InvalidArgumentError('It must have 1 to 200 characters.');
  return name;
}

function redirectUriArgument(text: string, earlier: string[] = []): string[] {
  const problem = redirectUriProblem(text);
  if (problem) throw new InvalidArgumentError(`It ${problem}.`);
  return earlier.includes(text) ? earlier : [...earlier, text];
}

function clientIdArgument(text: string): string {
  if (!isClientId(text)) throw new InvalidArgumentError('It must have 1 to 128 letters, digits or . _ ~ -');
  return text;
}

function clientSecretArgument(text: string): string {
  if (!isClientSecret(text)) throw new InvalidArgumentError('It must have 32 to 128 letters, digits or . _ ~ -');
  const problem = weakness(text, 32);
  if (problem) throw new InvalidArgumentError(`It ${problem}.`);
  return text;
}

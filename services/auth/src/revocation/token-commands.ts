import { type RecordSubjects, serviceUserIdArgument } from '@tributary/service-kit';
import type { Command } from 'commander';
import { clientIdArgument } from '../clients/client-commands';
import type { RevokedTokens, TokenOwner } from './revoke-by-operator';

export interface TokenCommandContext {
  recordSubjects: RecordSubjects;
  /** The client of a user who has codes or tokens. */
  clientOf(serviceUserId: number): Promise<string | undefined>;
  /** Undefined: there is no such client. */
  revoke(owner: TokenOwner): Promise<RevokedTokens | undefined>;
  print(text: string): void;
}

/** Adds `token revoke`. */
export function addTokenCommands(
  program: Command,
  { recordSubjects, clientOf, revoke, print }: TokenCommandContext,
): void {
  program
    .command('token')
    .description('codes and tokens of users and clients')
    .command('revoke')
    .description('revoke every authorization code, access token and refresh token of a client or of a user at once')
    .option('--client <client-id>', 'of every user of this client, and of the client itself', clientIdArgument)
    .option('--user <service-user-id>', 'of this user', serviceUserIdArgument)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nAll services refuse the tokens within about two seconds. The client can obtain new ones: client disable prevents that.',
    )
    .action(async ({ client, user, json }: { client?: string; user?: number; json?: true }, command: Command) => {
      if ((client === undefined) === (user === undefined))
        return command.error('error: give one of --client and --user');
      const clientId = user === undefined ? client : await clientOf(user);
      await recordSubjects([{ serviceUserId: user, clientId }]);
      const revoked = await revoke(user === undefined ? { clientId: client ?? '' } : { serviceUserId: user });
      if (!revoked) return command.error('error: there is no such client');
      print(json ? JSON.stringify(revoked) : format(revoked));
    });
}

function format({ authorization_codes, refresh_tokens, system_access_tokens }: RevokedTokens): string {
  return [
    `authorization codes   ${authorization_codes}`,
    `refresh tokens        ${refresh_tokens}`,
    `system access tokens  ${system_access_tokens}`,
    authorization_codes + refresh_tokens + system_access_tokens === 0
      ? 'There was nothing to revoke.'
      : 'They are revoked, with every access token that descends from them.',
  ].join('\n');
}

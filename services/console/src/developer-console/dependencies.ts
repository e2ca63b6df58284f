import type { AuthClient } from '@tributary/contracts';
import type { ScopedKeys } from '@tributary/key-vault';
import type { PublicApi } from '@tributary/outbound';
import { type ApiAudit, BrowserCookie, type RateLimits, type RouteLimit, limitAddresses } from '@tributary/service-kit';
import type { BlockList } from 'node:net';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { CalledApi } from './clients/called-api';
import { ClientAccess } from './clients/client-access';
import { UserTokens } from './clients/user-tokens';
import { MailLimit } from './mail/mail-limit';
import { MailOutbox } from './mail/mail-outbox';
import { Mails } from './mail/mails';
import type { SendMail } from './mail/smtp';
import type { OperatorServices } from './operator/operator-services';
import { Attempts } from './sign-in/attempts';
import { SessionCookie, type SessionAuthentications, sessionAuthentications } from './sessions/session-authentication';
import { Sessions } from './sessions/sessions';

/** What the developer console needs of the process. */
export interface ConsoleOptions {
  baseUrl: string;
  pool: Pool;
  keys: ScopedKeys;
  auth: Pick<AuthClient, 'findClient' | 'clientsOfOrganisation' | 'createClient' | 'createTemporarySecret'>;
  apis: Record<CalledApi | 'search', PublicApi>;
  operator: OperatorServices;
  sendMail: SendMail;
  rateLimits: RateLimits;
  trustedProxies: BlockList;
  audit: ApiAudit;
  log: Logger;
}

/** The objects that the routes share. */
export interface Dependencies extends ConsoleOptions {
  access: ClientAccess;
  userTokens: UserTokens;
  sessions: Sessions;
  cookie: SessionCookie;
  authentications: SessionAuthentications;
  attempts: Attempts;
  mails: Mails;
  mailLimit: MailLimit;
  outbox: MailOutbox;
  limits: {
    /** Of the routes that need no session. */
    anonymous: readonly RouteLimit[];
    session: readonly RouteLimit[];
  };
}

export function openDependencies(options: ConsoleOptions): Dependencies {
  const { baseUrl, pool, keys, rateLimits, trustedProxies } = options;
  const sessions = new Sessions(pool);
  const cookie = new SessionCookie(new BrowserCookie(baseUrl, 'console'));
  const access = new ClientAccess(options.auth, pool);
  const ofAddress = limitAddresses(rateLimits.limit('console-address'), trustedProxies);
  return {
    ...options,
    access,
    userTokens: new UserTokens(options.apis, access),
    sessions,
    cookie,
    authentications: sessionAuthentications(sessions, cookie, baseUrl),
    attempts: new Attempts(rateLimits, trustedProxies),
    mails: new Mails(baseUrl),
    mailLimit: new MailLimit(rateLimits),
    outbox: new MailOutbox(pool, keys, options.sendMail, options.log),
    limits: {
      anonymous: [...ofAddress, ...limitAddresses(rateLimits.limit('console-anonymous'), trustedProxies)],
      session: ofAddress,
    },
  };
}

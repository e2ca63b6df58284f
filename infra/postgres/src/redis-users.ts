import { createHash } from 'node:crypto';
import { collectionQueueName, collectionQueuePrefix, linesOf, tokenRevocationChannel } from '@tributary/contracts';
import type { Service } from './secrets';

/** Every service counts requests and failed credentials. The counts are those of all services together. */
const sharedKeys = ['{limit:*', '{credentials}:*'];

/** The keys of each service beside the shared ones. Two services have the queue of collections. */
const ownKeys: Readonly<Record<Service, readonly string[]>> = {
  auth: [],
  search: [],
  'user-management': [`${collectionQueuePrefix}:${collectionQueueName}:*`, 'rate-limit:*'],
  'fhir-store': [],
  'analytics-export': ['{tributary}:export-planning:*'],
  'ingestion-worker': ['collection:*', 'schedule', 'schedule:*', 'requests:*'].map(
    (name) => `${collectionQueuePrefix}:${name}`,
  ),
  'audit-log': [],
  'mcp-server': [],
  console: ['connect-page:*', 'console:*'],
};

/**
 * Commands on the own keys, scripts that are held to them, and no command of administration or that names keys of
 * other services.
 */
const commands =
  '-@all +@read +@write +@transaction +@connection -@dangerous -scan -randomkey -function -client|tracking -client|caching +eval +evalsha +script|load +script|exists +info +time +cluster|slots +cluster|info';

/** auth tells its replicas of revoked tokens, and finds the failed credentials of a client. */
const ownCommands = (service: Service): string => (service === 'auth' ? '+publish +scan' : '+subscribe +unsubscribe');

/** For checks of health, the lengths of queues, and reading the file of users again after a password was replaced. */
const operatorCommands = '-@all +ping +llen +zcard +acl|load';

/**
 * The users of Redis, as lines of its ACL file: one for each service with its own keys, and `operator`. The default
 * user, to whom a connection without a name belongs, is off. The passwords are hashed; during a replacement a user has
 * several.
 * https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/
 * @param passwords the lines of each secret, oldest first
 */
export function redisUsers({
  redisPasswords,
  redisOperatorPassword,
}: {
  redisPasswords: Readonly<Record<Service, string>>;
  redisOperatorPassword: string;
}): string[] {
  const services = Object.entries(redisPasswords) as [Service, string][];
  return [
    // Nobody can be this user. Redis reads its append-only file as this user, and drops transactions and the writes of
    // scripts that the user may not make (redis/redis#14541).
    'user default off resetpass +@all ~* &*',
    `user operator on ${hashesOf(redisOperatorPassword)} resetkeys ~${collectionQueuePrefix}:* resetchannels ${operatorCommands}`,
    ...services.map(([service, password]) => {
      const keys = [...sharedKeys, ...ownKeys[service]].map((pattern) => `~${pattern}`).join(' ');
      return `user ${service} on ${hashesOf(password)} resetkeys ${keys} resetchannels &${tokenRevocationChannel} ${commands} ${ownCommands(service)}`;
    }),
  ];
}

function hashesOf(passwords: string): string {
  return linesOf(passwords)
    .map((password) => `#${createHash('sha256').update(password).digest('hex')}`)
    .join(' ');
}

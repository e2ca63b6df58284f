import { readFileSync } from 'node:fs';
import { withoutFinalSlash } from '@tributary/contracts';
import { z } from 'zod';
import { type CheckedConfig, type ConfigProblem, secretProblems, transportProblems } from './production-checks';
import { RotatingSecret } from './rotating-secret';
import { activationConfig, parserOf, secret, serviceKeys } from './secrets';
import { isRedisUrl } from '../databases/redis-address';
import { proxyRanges } from '../transport/client-address';
import type { TlsFiles } from '../transport/tls-identity';

/** A boolean, `false` by default. */
export const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');

/** How often the files of the certificate are read again. */
const reloadEveryMs = 10_000;

/** The certificate of a process. Without it, the process serves and calls other services over plain HTTP. */
export const tlsConfig = z.object({
  TLS_CERTIFICATE_FILE: z
    .string()
    .optional()
    .describe('the certificate of this service, followed by intermediate ones, in PEM; it is for servers and clients'),
  TLS_KEY_FILE: z.string().optional().describe('the private key of the certificate, in PEM'),
  TLS_CA_FILE: z
    .string()
    .optional()
    .describe('the certificates, in PEM, of the authorities that issue the certificates of the services'),
});

/** @throws Error when only some of the three files are set */
export function tlsFiles(config: z.output<typeof tlsConfig>): TlsFiles | undefined {
  const { TLS_CERTIFICATE_FILE: certificate, TLS_KEY_FILE: key, TLS_CA_FILE: authority } = config;
  if (certificate !== undefined && key !== undefined && authority !== undefined)
    return { certificate, key, authority, reloadEveryMs };
  if (certificate === undefined && key === undefined && authority === undefined) return undefined;
  throw new Error('TLS_CERTIFICATE_FILE, TLS_KEY_FILE and TLS_CA_FILE belong together: set all of them or none');
}

/** The environment variables of every service. */
export const commonConfig = z.object({
  ...activationConfig.shape,
  SANDBOX_MODE: flag.describe(
    'true, for development only, allows plain HTTP, unencrypted databases, simple secrets, and health systems, webhooks and key sets on http and on private addresses',
  ),
  REQUIRE_TLS: flag.describe(
    'true refuses plain HTTP and unencrypted databases also with SANDBOX_MODE=true; otherwise they are always refused',
  ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('how much is logged'),
  PORT: z.coerce.number().int().min(0).max(65535).describe('the port of the public API'),
  INTERNAL_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .describe('the port for other services and for health checks; never public'),
  HOST: z.string().default('0.0.0.0').describe('the address both ports listen on'),
  DRAIN_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(600_000)
    .default(0)
    .describe('how long after SIGTERM requests are still accepted while /readyz reports stopping, in milliseconds'),
  TRUSTED_PROXIES: proxyRanges.describe(
    'the addresses of proxies, as CIDR ranges: the address of a client is the last one of X-Forwarded-For outside of them',
  ),
  ...tlsConfig.shape,
  HEALTH_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .optional()
    .describe(
      'a port on 127.0.0.1 that serves only /healthz and /readyz, over plain HTTP, for checks inside a container',
    ),
  METRICS_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .optional()
    .describe(
      'a port that serves only /metrics for Prometheus, never public; over TLS a client certificate of the suite is required. Absent: no metrics',
    ),
});

export const redisConfig = z.object({
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\//, 'must be a redis:// or rediss:// URL')
    .refine(isRedisUrl, 'must be a URL with one server, or several that commas separate')
    .describe(
      'the Redis server; rediss:// for TLS. With REDIS_MODE the sentinels, or some servers of the cluster: redis://one:6379,two:6379',
    ),
  REDIS_MODE: z
    .enum(['server', 'sentinel', 'cluster'])
    .default('server')
    .describe(
      '`server`: REDIS_URL is the Redis server; `sentinel`: Redis Sentinel knows which server is the primary; `cluster`: a Redis Cluster',
    ),
  REDIS_SENTINEL_NAME: z.string().min(1).default('mymaster').describe('the name of the primary at the sentinels'),
  REDIS_SENTINEL_PASSWORD: secret(1).optional().describe('the password of the sentinels, where they have one'),
  REDIS_PASSWORD: secret(1)
    .optional()
    .describe(
      'the password, in place of one in the URL. The file of REDIS_PASSWORD_FILE can have several while it is replaced: the one that Redis accepts is used',
    ),
  REDIS_CA_FILE: z
    .string()
    .optional()
    .describe('the certificates, in PEM, of the authorities of the Redis server; those of Node.js by default'),
});
export type RedisConfig = z.infer<typeof redisConfig>;

/** The key with which this service authenticates at others. */
export const callerConfig = z.object({
  SERVICE_KEY: secret(16).describe('the key with which this service calls others'),
});

/** The services that may call this one. */
export const calleeConfig = z.object({
  SERVICE_KEYS: serviceKeys(16).describe(
    'the services that may call this one, as JSON {"name": "key"}, or {"name": ["key", "next key"]} while a key is replaced',
  ),
});

/** A base URL; trailing slashes are removed. */
export const baseUrl = z
  .string()
  .regex(/^https?:\/\/[^/?#]+(\/[^?#]*)?$/, 'must be an http(s) URL')
  .transform(withoutFinalSlash);

/**
 * Reads the configuration from the environment. `NAME_FILE` gives the path of a file that holds the value of `NAME`,
 * for secrets. The file of a `secret` is read again when it changes; other files are read once. Without
 * SANDBOX_MODE=true, every process refuses unencrypted connections and secrets that can be guessed.
 * @throws Error whose message lists every variable that is missing or wrong and says what to set, without its value
 */
export function readConfig<T extends z.ZodObject>(
  schema: T,
  environment: NodeJS.ProcessEnv = process.env,
): z.output<T> {
  /** One line for each variable. */
  const problems = new Map<string, string>();
  const values = readValues(schema, environment, problems);
  const parsed = schema.safeParse(values);
  for (const issue of parsed.error?.issues ?? []) {
    const name = String(issue.path[0]);
    const field = schema.shape[name] as z.ZodType | undefined;
    const meaning = field?.description ? ` (${field.description})` : '';
    if (!problems.has(`${name}_FILE`))
      problems.set(name, `${name}${meaning}: ${name in values ? issue.message : 'is not set'}`);
  }
  const unsafe = productionProblems({
    known: Object.keys(schema.shape),
    values: parsed.data ?? validOnes(schema, values),
    environment,
  }).filter(({ name }) => !problems.has(name));
  if (parsed.success && problems.size === 0 && unsafe.length === 0) return parsed.data;
  const lines = [...problems.values(), ...unsafe.map(({ name, problem }) => `${name}: ${problem}`)];
  if (unsafe.length > 0 && environment['SANDBOX_MODE'] !== 'true')
    lines.push('or, for development only, SANDBOX_MODE=true, which allows what is not safe');
  throw new Error(`The configuration cannot be used. Set in the environment:\n  ${lines.join('\n  ')}`);
}

function readValues(
  schema: z.ZodObject,
  environment: NodeJS.ProcessEnv,
  problems: Map<string, string>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const { SECRET_ACTIVATION_SECONDS: activationSeconds } = activationConfig
    .catch({ SECRET_ACTIVATION_SECONDS: 0 })
    .parse({
      SECRET_ACTIVATION_SECONDS: environment['SECRET_ACTIVATION_SECONDS'] || undefined,
    });
  for (const [name, field] of Object.entries(schema.shape)) {
    const file = `${name}_FILE` in schema.shape ? undefined : environment[`${name}_FILE`];
    try {
      const value = environment[name] ?? (file ? readSecretFile(file, field, activationSeconds) : undefined);
      if (value !== undefined && value !== '') values[name] = value;
    } catch (error) {
      problems.set(`${name}_FILE`, `${name}_FILE cannot be used: ${(error as Error).message}`);
    }
  }
  return values;
}

/** @throws Error when the file cannot be read, or its content is not valid */
function readSecretFile(path: string, field: unknown, activationSeconds: number): unknown {
  const parse = parserOf(field);
  return parse
    ? new RotatingSecret({ path, activationSeconds, parse: (content) => parse(content.toString('utf8')) })
    : readFileSync(path, 'utf8').trim();
}

/** The values of the variables that are valid by themselves. */
function validOnes(schema: z.ZodObject, values: Record<string, unknown>): Record<string, unknown> {
  const parsed = Object.entries(schema.shape).map(
    ([name, field]) => [name, (field as z.ZodType).safeParse(values[name])] as const,
  );
  return Object.fromEntries(parsed.flatMap(([name, { success, data }]) => (success ? [[name, data]] : [])));
}

/** What keeps the process from being used with the data of patients. */
function productionProblems(config: CheckedConfig): ConfigProblem[] {
  const isSandbox = config.environment['SANDBOX_MODE'] === 'true';
  return [
    ...(isSandbox && config.environment['REQUIRE_TLS'] !== 'true' ? [] : transportProblems(config)),
    ...(isSandbox ? [] : secretProblems(config)),
  ];
}

import { readFileSync } from 'node:fs';
import { withoutFinalSlash } from '@tributary/contracts';
import { z } from 'zod';
import { RotatingSecret } from './rotating-secret';
import { activationConfig, parserOf, secret, serviceKeys } from './secrets';
import { proxyRanges } from '../transport/client-address';
import type { TlsFiles } from '../transport/tls-identity';

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
  TLS_RELOAD_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(86_400)
    .default(10)
    .describe('how often the files of TLS_CERTIFICATE_FILE, TLS_KEY_FILE and TLS_CA_FILE are read again, in seconds'),
});

/** @throws Error when only some of the three files are set */
export function tlsFiles(config: z.output<typeof tlsConfig>): TlsFiles | undefined {
  const { TLS_CERTIFICATE_FILE: certificate, TLS_KEY_FILE: key, TLS_CA_FILE: authority } = config;
  if (certificate !== undefined && key !== undefined && authority !== undefined)
    return { certificate, key, authority, reloadEveryMs: config.TLS_RELOAD_SECONDS * 1000 };
  if (certificate === undefined && key === undefined && authority === undefined) return undefined;
  throw new Error('TLS_CERTIFICATE_FILE, TLS_KEY_FILE and TLS_CA_FILE belong together: set all of them or none');
}

/** The environment variables of every service. */
export const commonConfig = z.object({
  ...activationConfig.shape,
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
    .min(1)
    .max(65535)
    .optional()
    .describe(
      'a port on 127.0.0.1 that serves only /healthz and /readyz, over plain HTTP, for checks inside a container',
    ),
});

export const redisConfig = z.object({
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\//, 'must be a redis:// or rediss:// URL')
    .describe('the Redis server; rediss:// for TLS'),
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

/** A boolean, `false` by default. */
export const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');

/**
 * Reads the configuration from the environment. `NAME_FILE` gives the path of a file that holds the value of `NAME`,
 * for secrets. That of a `secret` is read again when it changes, any other once.
 * @throws Error whose message lists every variable that is missing or wrong and says what to set
 */
export function readConfig<T extends z.ZodObject>(
  schema: T,
  environment: NodeJS.ProcessEnv = process.env,
): z.output<T> {
  const values: Record<string, unknown> = {};
  const { SECRET_ACTIVATION_SECONDS: activationSeconds } = activationConfig
    .catch({ SECRET_ACTIVATION_SECONDS: 0 })
    .parse({
      SECRET_ACTIVATION_SECONDS: environment['SECRET_ACTIVATION_SECONDS'] || undefined,
    });
  for (const [name, field] of Object.entries(schema.shape)) {
    const file = `${name}_FILE` in schema.shape ? undefined : environment[`${name}_FILE`];
    const value = environment[name] ?? (file ? readSecretFile(name, file, field, activationSeconds) : undefined);
    if (value !== undefined && value !== '') values[name] = value;
  }
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    const field = schema.shape[name] as z.ZodType | undefined;
    const meaning = field?.description ? ` (${field.description})` : '';
    return `  ${name}${meaning}: ${name in values ? issue.message : 'is not set'}`;
  });
  throw new Error(`The configuration is incomplete. Set in the environment:\n${lines.join('\n')}`);
}

/** @throws Error that names the variable */
function readSecretFile(name: string, path: string, field: unknown, activationSeconds: number): unknown {
  const parse = parserOf(field);
  try {
    return parse
      ? new RotatingSecret({ path, activationSeconds, parse: (content) => parse(content.toString('utf8')) })
      : readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new Error(`${name}_FILE cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

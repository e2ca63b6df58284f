import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65535);

const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(4005),
  SMTP_PORT: port.default(4006),
  TLS_CERTIFICATE_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
});

/** The configuration of the process. */
export interface Config {
  /** The address that both ports listen on. */
  host: string;
  /** The port of the pages. */
  port: number;
  smtpPort: number;
  /** The paths of PEM files; without them, the pages are at plain HTTP, and SMTP is without TLS. */
  tls: { certificate: string; key: string } | undefined;
}

/**
 * Reads the environment. Empty variables count as absent.
 * @throws when a value is invalid
 */
export function readConfig(variables: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const read = environment.parse(given);
  const { TLS_CERTIFICATE_FILE: certificate, TLS_KEY_FILE: key } = read;
  return {
    host: read.HOST,
    port: read.PORT,
    smtpPort: read.SMTP_PORT,
    tls: certificate !== undefined && key !== undefined ? { certificate, key } : undefined,
  };
}

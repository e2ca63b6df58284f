import { z } from 'zod';
import { defaultClients, registeredClient, type RegisteredClient } from './clients/registered-clients';

/** The configuration of the process. */
export interface Config {
  port: number;
  /** The address to listen on; all addresses when undefined. */
  host: string | undefined;
  /** The public origins; the first one is the default for requests with another `Host`. */
  origins: string[];
  /** The origin of the sign-in page, when browsers reach the sandbox under another name than services do. */
  browserOrigin: string | undefined;
  /** Another origin of this process, which plays the part of a foreign host. */
  elsewhereOrigin: string;
  recordsDirectory: string | undefined;
  clients: RegisteredClient[];
  secret: string;
  /** The paths of PEM files; without them, the sandbox serves plain HTTP. */
  tls: { certificate: string; key: string } | undefined;
}

const origin = z.url().transform((url) => new URL(url).origin);
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

const environment = z.object({
  PORT: z.coerce.number().int().min(0).max(65535).default(4004),
  HOST: z.string().optional(),
  SANDBOX_URL: origin.optional(),
  BASE_URL: origin.optional(),
  SANDBOX_ORIGINS: list.pipe(z.array(origin)).default([]),
  SANDBOX_BROWSER_URL: origin.optional(),
  SANDBOX_ELSEWHERE_URL: origin.optional(),
  RECORDS_DIR: z.string().min(1).optional(),
  SANDBOX_CLIENTS: z.string().transform(parsedJson).pipe(z.array(registeredClient)).default([]),
  SANDBOX_REDIRECT_URIS: list.default([
    'http://localhost:4000/connect/callback',
    'http://127.0.0.1:4000/connect/callback',
  ]),
  SANDBOX_CLIENT_SECRET: z.string().min(1).default('tributary-sandbox-secret'),
  SANDBOX_JWKS_URI: z.url().optional(),
  TLS_CERTIFICATE_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
  // Fixed, so that tokens outlive a restart. It protects nothing: whoever reaches the sandbox can sign in as anyone.
  SANDBOX_SECRET: z.string().min(8).default('the sandbox holds pretend people only'),
});

/**
 * Reads the environment; the option `--records DIR` overrides RECORDS_DIR. Empty variables count as absent.
 * @throws when a value is invalid
 */
export function readConfig(variables: NodeJS.ProcessEnv, commandLine: string[]): Config {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const read = environment.parse(given);
  const { TLS_CERTIFICATE_FILE: certificate, TLS_KEY_FILE: key } = read;
  const tls = certificate !== undefined && key !== undefined ? { certificate, key } : undefined;
  const scheme = tls ? 'https' : 'http';
  const main = read.SANDBOX_URL ?? read.BASE_URL ?? `${scheme}://localhost:${read.PORT}`;
  const byId = new Map(
    [
      ...defaultClients(read.SANDBOX_REDIRECT_URIS, read.SANDBOX_CLIENT_SECRET, read.SANDBOX_JWKS_URI),
      ...read.SANDBOX_CLIENTS,
    ].map((client) => [client.client_id, client]),
  );
  const flag = commandLine.indexOf('--records');
  return {
    port: read.PORT,
    host: read.HOST,
    origins: [
      ...new Set([
        main,
        ...read.SANDBOX_ORIGINS,
        `${scheme}://localhost:${read.PORT}`,
        `${scheme}://127.0.0.1:${read.PORT}`,
      ]),
    ],
    browserOrigin: read.SANDBOX_BROWSER_URL,
    elsewhereOrigin: read.SANDBOX_ELSEWHERE_URL ?? otherLoopbackName(main),
    recordsDirectory: flag >= 0 ? commandLine[flag + 1] : read.RECORDS_DIR,
    clients: [...byId.values()],
    secret: read.SANDBOX_SECRET,
    tls,
  };
}

/**
 * The counterpart of a loopback origin: `localhost` and `127.0.0.1` reach the same process, but are different origins.
 */
function otherLoopbackName(main: string): string {
  const url = new URL(main);
  url.hostname = url.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  return url.origin;
}

function parsedJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON' });
    return z.NEVER;
  }
}

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { createGateway } from './proxy';

const pemFile = z
  .string()
  .transform((path) => readFileSync(path, 'utf8'))
  .optional();

/**
 * ORIGINS has the origin of each service behind {base_url}, in JSON. With the files of certificates, everything is over
 * TLS.
 */
const environment = z.object({
  HOST: z.string(),
  PORT: z.coerce.number().int(),
  ORIGINS: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(z.record(z.string(), z.url())),
  TLS_CERTIFICATE_FILE: pemFile,
  TLS_KEY_FILE: pemFile,
  TLS_CA_FILE: pemFile,
});

const {
  HOST,
  PORT,
  ORIGINS,
  TLS_CERTIFICATE_FILE: cert,
  TLS_KEY_FILE: key,
  TLS_CA_FILE: ca,
} = environment.parse(process.env);
const server = createGateway(ORIGINS, cert && key && ca ? { cert, key, ca } : undefined).listen(PORT, HOST);

function stop(): void {
  server.close(() => process.exit(0));
  setTimeout(() => server.closeAllConnections(), 10_000).unref();
}
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(signal, stop);

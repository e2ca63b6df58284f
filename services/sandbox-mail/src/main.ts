import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createApp } from './app';
import { readConfig } from './config';
import { Mailbox } from './mailbox';
import { createSmtpServer } from './smtp';

/** Starts the pages on PORT and SMTP on SMTP_PORT. SIGTERM, SIGINT and the end of the parent process stop both. */
function main(): void {
  const { host, port, smtpPort, tls } = readConfig(process.env);
  const certificate = tls && { cert: readFileSync(tls.certificate), key: readFileSync(tls.key) };
  const mailbox = new Mailbox();
  const smtp = createSmtpServer(mailbox, certificate);
  // Also a connection that breaks is an error of the server.
  smtp.on('error', (error) => (smtp.server.listening ? console.error(error.message) : fail(error)));
  const app = createApp(mailbox);
  const pages = certificate ? createTlsServer(certificate, app) : createServer(app);
  pages.once('error', fail);
  // First, so that whoever finds the pages can send.
  smtp.listen(smtpPort, host, () =>
    pages.listen(port, host, () =>
      console.log(JSON.stringify({ event: 'listening', service: 'sandbox-mail', port, smtp_port: smtpPort })),
    ),
  );
  // 'disconnect': the parent process has ended.
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const)
    process.once(signal, () => {
      smtp.close();
      pages.close(() => process.exit(0));
      pages.closeIdleConnections();
      setTimeout(() => process.exit(0), 2_000).unref();
    });
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

main();

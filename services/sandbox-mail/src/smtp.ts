import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import type { Mailbox } from './mailbox';

const maxMessageBytes = 1_000_000;

/**
 * A server that accepts every sender, recipient, user and password.
 * @param tls a certificate and its key in PEM: TLS from the start of each connection. Without them there is none, nor
 *   STARTTLS.
 */
export function createSmtpServer(mailbox: Mailbox, tls?: { cert: Buffer; key: Buffer }): SMTPServer {
  return new SMTPServer({
    ...(tls ? { secure: true, ...tls } : {}),
    size: maxMessageBytes,
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onAuth: ({ username }, _session, done) => done(null, { user: username }),
    onData(stream, { envelope }, done) {
      void buffer(stream)
        .then((source) => {
          if (stream.sizeExceeded) throw Object.assign(new Error('the message is too large'), { responseCode: 552 });
          const from = envelope.mailFrom ? envelope.mailFrom.address : '';
          return mailbox.add({ from, to: envelope.rcptTo.map(({ address }) => address) }, source);
        })
        .then(() => done(), done);
    },
  });
}

import { createTransport } from 'nodemailer';
import type { Secret } from '@tributary/service-kit';
import type { Mail } from './mails';

/** Sends a mail. @throws Error when the mail server does not take it */
export type SendMail = (mail: Mail) => Promise<void>;

/** The times after which an attempt is given up, in milliseconds: together less than a minute. */
const timeouts = { dnsTimeout: 5000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/**
 * Sends mails through a mail server. `smtps://` is TLS from the start; `smtp://` is TLS by STARTTLS, without which
 * nothing is sent, except to the own machine and in the sandbox.
 * @param url read for each mail, as it can change
 */
export function smtpSender(url: Pick<Secret, 'current'>, from: string, isSandbox: boolean): SendMail {
  return async (mail) => {
    const { protocol, hostname, port, username, password } = new URL(url.current);
    const secure = protocol === 'smtps:';
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const transport = createTransport({
      ...timeouts,
      host,
      port: port === '' ? (secure ? 465 : 587) : Number(port),
      secure,
      requireTLS: !secure && !isSandbox && !isLoopback(host),
      ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
      // A mail has no files, and none of this machine or of the network is read for it.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      await transport.sendMail({ ...mail, to: { address: mail.to, name: '' }, from });
    } finally {
      transport.close();
    }
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

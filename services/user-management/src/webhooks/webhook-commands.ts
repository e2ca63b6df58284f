import { randomUUID, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ClientMode, clientMode, webhookEventTypes } from '@tributary/contracts';
import { OutboundRequestFailed } from '@tributary/outbound';
import { flag, readConfig, argument } from '@tributary/service-kit';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { type CommandContext } from '../command-context';
import { OutboundHttp } from '../outbound/outbound-http';
import { sampleEvents } from './webhook-documentation';
import { signedHeaders } from './signed-headers';

/** How far the time of a request may be off, as Standard Webhooks recommends. */
const toleranceSeconds = 300;

const secretArgument = argument((text) => {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(text) ?? [];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
}, 'It must be whsec_ and the key in base64.');
const urlArgument = argument(
  (text) => (/^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined),
  'It must be an http(s) URL.',
);
const portArgument = argument(
  (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined),
  'It must be a port.',
);
const statusArgument = argument(
  (text) => (/^[2-5]\d\d$/.test(text) ? Number(text) : undefined),
  'It must be a status from 200 to 599.',
);

/** Adds `webhook listen` and `webhook simulate`, for developers of receivers. They use no database. */
export function addWebhookCommands(program: Command, context: CommandContext): void {
  const webhook = program.command('webhook').description('receive webhooks here, or send signed sample events');
  webhook
    .command('listen')
    .description('receive webhooks at http://localhost:<port>/, verify and print them, until Ctrl-C')
    .option('--port <port>', 'the port; 0: any free port', portArgument, 9000)
    .option('--secret <secret>', 'the secret of the endpoint (whsec_…); without it nothing is verified', secretArgument)
    .option('--status <status>', 'the status of the responses, to try retries', statusArgument, 204)
    .action(async ({ port, secret, status }: { port: number; secret?: Buffer; status: number }) => {
      const server = createServer((request, response) => {
        receive(request, secret)
          .then((lines) => lines.forEach(context.print))
          .catch(() => context.print('a request was aborted'))
          .finally(() => response.writeHead(status).end());
      }).listen(port, '127.0.0.1');
      await once(server, 'listening');
      const { port: actualPort } = server.address() as AddressInfo; // Another one when port 0 was requested.
      context.print(`listening at http://localhost:${actualPort}/; create an endpoint with this url`);
      if (!context.stop.aborted) await once(context.stop, 'abort');
      server.closeAllConnections();
      server.close();
    });
  webhook
    .command('simulate')
    .description('send a signed sample event of each type to a receiver')
    .requiredOption('--url <url>', 'the URL of the receiver', urlArgument)
    .requiredOption('--secret <secret>', 'the secret that the receiver verifies with (whsec_…)', secretArgument)
    .addOption(new Option('--event <type>', 'only this type').choices(webhookEventTypes))
    .addOption(new Option('--mode <mode>', 'the mode in the events').choices(clientMode.options).default('test'))
    .action(async ({ url, secret, event, mode }: { url: string; secret: Buffer; event?: string; mode: ClientMode }) => {
      const { SANDBOX_MODE } = readConfig(z.object({ SANDBOX_MODE: flag }), context.environment);
      const http = new OutboundHttp({ allowPrivateAddresses: SANDBOX_MODE });
      let refused = 0;
      for (const { type, body } of sampleEvents(mode, event)) {
        const result = await send(http, url, body, secret);
        if (!/^2\d\d$/.test(result)) refused++;
        context.print(`${type}  ${result}`);
      }
      if (refused > 0)
        throw new Error(refused === 1 ? 'one event was not accepted' : `${refused} events were not accepted`);
    });
}

/** @returns the status of the response, or why there was none */
async function send(http: OutboundHttp, url: string, body: string, secret: Buffer): Promise<string> {
  try {
    return String(await http.postJson(url, body, signedHeaders(`msg_${randomUUID()}`, new Date(), body, [secret])));
  } catch (error) {
    if (error instanceof OutboundRequestFailed) return error.reason;
    throw error;
  }
}

async function receive(request: IncomingMessage, secret: Buffer | undefined): Promise<string[]> {
  const body = await text(request);
  const id = String(request.headers['webhook-id'] ?? 'without webhook-id');
  const verdict = secret ? verify(request, body, secret) : 'not verified';
  return [`${id}  ${verdict}`, body];
}

/** Verifies as https://www.standardwebhooks.com describes, in the way that a receiver would. */
function verify({ headers }: IncomingMessage, body: string, secret: Buffer): string {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  ) as [string, string, string];
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) return 'REFUSED: its time is too far off';
  const expected = Buffer.from(
    signedHeaders(id, new Date(Number(timestamp) * 1000), body, [secret])['webhook-signature'],
  );
  const isSigned = signatures
    .split(' ')
    .map((signature) => Buffer.from(signature))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
  return isSigned ? 'verified' : 'REFUSED: the signature is wrong';
}

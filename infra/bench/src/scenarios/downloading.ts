import { type ExportedFile, exportManifest, exportPath } from '@tributary/contracts';
import { request } from 'undici';
import type { BenchUser } from '../suite/users';
import { bearer, callJson } from '../suite/http';
import type { BenchContext } from '../bench-context';

const withinMs = 180_000;

export type Encoding = 'identity' | 'gzip';

export interface Manifest {
  files: ExportedFile[];
  milliseconds: number;
}

/** Requests an export. */
export async function startExport({ suite }: BenchContext, headers: Record<string, string>): Promise<Manifest> {
  const began = performance.now();
  const { output } = await callJson(exportManifest, `${suite.running.ready.analytics_url}${exportPath}`, { headers });
  return { files: output, milliseconds: performance.now() - began };
}

/** The credentials with which an application exports all of its users. */
export function clientHeaders({ client }: BenchContext): Record<string, string> {
  return { client_id: client.client_id, client_secret: client.client_secret, 'x-service-user-id': 'client' };
}

/**
 * Downloads one file without decompressing it.
 * @param begun receives the time until the first byte, in milliseconds
 * @throws Error when the response has another status or content encoding
 */
export async function* download(
  file: ExportedFile,
  headers: Record<string, string>,
  encoding: Encoding,
  begun: (milliseconds: number) => void = () => undefined,
): AsyncGenerator<Buffer> {
  const sent = performance.now();
  const {
    statusCode,
    headers: answered,
    body,
  } = await request(file.url, {
    headers: { ...headers, 'accept-encoding': encoding },
    signal: AbortSignal.timeout(withinMs),
  });
  if (statusCode !== 200)
    throw new Error(`a file of the export answered ${statusCode}: ${(await body.text()).slice(0, 200)}`);
  if ((answered['content-encoding'] ?? 'identity') !== encoding)
    throw new Error(`a file was requested as ${encoding} and received as ${String(answered['content-encoding'])}`);
  let first = true;
  for await (const piece of body as AsyncIterable<Buffer>) {
    if (first) begun(performance.now() - sent);
    first = false;
    yield piece;
  }
}

/** All lines of one user's record. */
export async function downloadRecord(context: BenchContext, user: BenchUser): Promise<string[]> {
  const headers = bearer(user.token);
  const pieces: Buffer[] = [];
  for (const file of (await startExport(context, headers)).files)
    for await (const piece of download(file, headers, 'identity')) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8').split('\n').filter(Boolean);
}

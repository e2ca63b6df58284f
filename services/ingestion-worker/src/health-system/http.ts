import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { GuardedHttp, OutboundRequestFailed } from '@tributary/outbound';
import {
  AddressForbidden,
  ResponseExpandsTooMuch,
  ResponseMemoryExhausted,
  ResponseTooLarge,
} from './request-failures';
import type { Reservation } from './response-memory-budget';

/** How long a request may take, however slowly its body trickles, in milliseconds. */
const totalMs = 600_000;

export interface HttpResponse {
  /** 0 when no response came, or an incomplete one. */
  status: number;
  headers: Record<string, unknown>;
  body: Buffer;
  /** The request has ended by a time limit. */
  isTimedOut: boolean;
}

/** The HTTP client for health systems: https and public addresses only, unless private addresses are allowed. */
export function healthSystemHttp(allowPrivateAddresses: boolean): GuardedHttp {
  return new GuardedHttp({ allowPrivateAddresses, keepAlive: { maxSockets: 64, maxFreeSockets: 16 } });
}

export interface SendOptions {
  http: GuardedHttp;
  headers: Record<string, string>;
  maxBytes: number;
  /** How many times larger than the sent body the decoded one may be; that of `GuardedHttp` by default. */
  maxExpansion?: number | undefined;
  /** Already reserved for the expected size of the body. */
  reservation: Reservation;
  /** How long the connection may deliver nothing, in milliseconds. */
  idleTimeoutMs: number;
  signal: AbortSignal;
}

/**
 * Sends one GET request and reads the body as it arrives, at most `maxBytes`. A failure on the way (connection, time
 * limit, body cut short) is a response with status 0. The request ends within `idleTimeoutMs` without data, and within
 * ten minutes in total. Redirects are left to the caller.
 * @throws AddressForbidden
 * @throws ResponseTooLarge, ResponseExpandsTooMuch
 * @throws ResponseMemoryExhausted when the memory budget has no room for the body
 * @throws the reason of the signal
 */
export async function send(url: URL, options: SendOptions): Promise<HttpResponse> {
  const { http, headers, maxBytes, maxExpansion, signal, idleTimeoutMs: idleMs } = options;
  signal.throwIfAborted();
  try {
    const response = await http.stream({
      method: 'GET',
      url: url.href,
      headers,
      totalMs,
      idleMs,
      maxBytes,
      maxExpansion,
      signal,
    });
    const body = await readBody(response.body, contentLength(response.headers), options);
    return { status: response.status, headers: { ...response.headers }, body, isTimedOut: false };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof OutboundRequestFailed)) throw error;
    if (error.kind === 'address') throw new AddressForbidden();
    if (error.kind === 'too_large') throw new ResponseTooLarge(maxBytes);
    if (error.kind === 'expansion') throw new ResponseExpandsTooMuch();
    return { status: 0, headers: {}, body: Buffer.alloc(0), isTimedOut: error.kind === 'timeout' };
  }
}

async function readBody(
  stream: Readable,
  expectedBytes: number,
  { maxBytes, reservation }: SendOptions,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    if (expectedBytes > 0) {
      ensureReserved(reservation, expectedBytes, maxBytes, expectedBytes);
      reservation.shrinkTo(expectedBytes);
    }
    for await (const part of stream as AsyncIterable<Buffer>) {
      size += part.length;
      ensureReserved(reservation, size, maxBytes);
      parts.push(part);
    }
  } finally {
    stream.destroy();
  }
  reservation.shrinkTo(size);
  return Buffer.concat(parts, size);
}

/** The bytes of the decoded body; 0 when they are not known in advance. */
function contentLength(headers: IncomingHttpHeaders): number {
  return headers['content-encoding'] === undefined ? Number(headers['content-length']) || 0 : 0;
}

/**
 * @param neededBytes what the next request reserves when there is no memory; by default twice the bytes, so that the
 * number of repeated requests stays logarithmic
 */
function ensureReserved(
  reservation: Reservation,
  bytes: number,
  maxBytes: number,
  neededBytes = Math.min(2 * bytes, maxBytes),
): void {
  if (bytes > maxBytes) throw new ResponseTooLarge(maxBytes);
  if (!reservation.tryGrowTo(bytes)) throw new ResponseMemoryExhausted(neededBytes);
}

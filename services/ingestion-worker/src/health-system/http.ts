import type { IncomingHttpHeaders } from 'node:http';
import { GuardedHttp, OutboundRequestFailed, type OutboundStream } from '@tributary/outbound';
import {
  AddressForbidden,
  ResponseExpandsTooMuch,
  ResponseMemoryExhausted,
  ResponseTooLarge,
} from './request-failures';
import type { Reservation } from './response-memory-budget';

/** How long a request may take, however slowly its body trickles, in milliseconds. */
const totalMs = 600_000;
/** A large body may take a second more for each of these, be the health system slow or the reader. */
const largeBytesPerSecond = 100_000;
/** What the buffers between a health system and the reader of a large body take at most. */
const passingBytes = 1_000_000;

export interface HttpResponse {
  /** 0 when no response came, or an incomplete one. */
  status: number;
  headers: Record<string, unknown>;
  /** Empty when it was large, and has been read. */
  body: Buffer;
  /** The request has ended by a time limit. */
  isTimedOut: boolean;
}

/** The HTTP client for health systems: https and public addresses only, unless private addresses are allowed. */
export function healthSystemHttp(allowPrivateAddresses: boolean): GuardedHttp {
  return new GuardedHttp({ allowPrivateAddresses, keepAlive: { maxSockets: 64, maxFreeSockets: 16 } });
}

/** The body of a successful response that is too large to be held. */
export interface LargeBody {
  maxBytes: number;
  /** Larger bodies are large; at most `maxBytes` of other bodies. */
  aboveBytes(headers: IncomingHttpHeaders): number;
  /** Reads the body while it arrives. The body fails with `OutboundRequestFailed`, which must be passed on. */
  read(body: AsyncIterable<Buffer>, headers: IncomingHttpHeaders): Promise<void>;
}

export interface SendOptions {
  http: GuardedHttp;
  headers: Record<string, string>;
  /** Of a body that is held. */
  maxBytes: number;
  large?: LargeBody | undefined;
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
 * ten minutes in total; a large body has more time. Redirects are left to the caller.
 * @throws AddressForbidden
 * @throws ResponseTooLarge, ResponseExpandsTooMuch
 * @throws ResponseMemoryExhausted when the memory budget has no room for the body
 * @throws the reason of the signal, and what the reader of a large body throws
 */
export async function send(url: URL, options: SendOptions): Promise<HttpResponse> {
  const { http, headers, maxExpansion, large, signal, idleTimeoutMs: idleMs } = options;
  const maxBytes = large?.maxBytes ?? options.maxBytes;
  const startedAt = performance.now();
  signal.throwIfAborted();
  try {
    const response = await http.stream({
      method: 'GET',
      url: url.href,
      headers,
      totalMs: large ? maxMs(maxBytes) : totalMs,
      idleMs,
      maxBytes,
      maxExpansion,
      signal,
    });
    const body = await readBody(response, startedAt, options);
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
  { status, headers, body: stream }: OutboundStream,
  startedAt: number,
  { maxBytes, large, reservation }: SendOptions,
): Promise<Buffer> {
  const maxHeldBytes = large && isSuccess(status) ? large.aboveBytes(headers) : maxBytes;
  const expectedBytes = contentLength(headers);
  const pieces = inTime(stream, startedAt);
  const held: Buffer[] = [];
  let size = 0;
  try {
    let isLarge = large && isSuccess(status) && expectedBytes > maxHeldBytes;
    if (expectedBytes > 0 && !isLarge) {
      ensureReserved(reservation, expectedBytes, maxHeldBytes, expectedBytes);
      reservation.shrinkTo(expectedBytes);
    }
    while (!isLarge) {
      const { done, value: piece } = await pieces.next();
      if (done) break;
      held.push(piece);
      size += piece.length;
      isLarge = large && isSuccess(status) && size > maxHeldBytes;
      if (!isLarge) ensureReserved(reservation, size, maxHeldBytes);
    }
    if (large && isLarge) {
      ensureReserved(reservation, passingBytes, Infinity, passingBytes);
      await large.read(passing(held, pieces, reservation), headers);
      return Buffer.alloc(0);
    }
  } finally {
    stream.destroy();
  }
  reservation.shrinkTo(size);
  return Buffer.concat(held, size);
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** How long a body of a size may take. */
function maxMs(bytes: number): number {
  return totalMs + (bytes / largeBytesPerSecond) * 1000;
}

/** The time limit of the whole request is that of the largest body. */
async function* inTime(stream: AsyncIterable<Buffer>, startedAt: number): AsyncGenerator<Buffer, undefined> {
  let bytes = 0;
  for await (const piece of stream) {
    bytes += piece.length;
    if (performance.now() - startedAt > maxMs(bytes)) throw new OutboundRequestFailed('ETIMEDOUT', 'timeout');
    yield piece;
  }
}

/** Passes on what is held, then the rest of a body; keeps as much memory reserved as that takes. */
async function* passing(held: Buffer[], rest: AsyncIterable<Buffer>, reservation: Reservation): AsyncGenerator<Buffer> {
  for (let piece = held.shift(); piece; piece = held.shift()) yield piece;
  reservation.shrinkTo(passingBytes);
  yield* rest;
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

import type { Readable } from 'node:stream';
import { AddressNotAllowed, outboundAgents, assertPublicUrl } from '@tributary/public-addresses';
import axios, { type AxiosInstance, AxiosError } from 'axios';
import {
  AddressForbidden,
  HealthSystemRequestFailed,
  ResponseMemoryExhausted,
  ResponseTooLarge,
} from './request-failures';
import type { Reservation } from './response-memory-budget';

/** How long one response body may take, however slowly it trickles, in milliseconds. */
const bodyTimeoutMs = 600_000;

export interface HttpResponse {
  /** 0 when no response came, or an incomplete one. */
  status: number;
  headers: Record<string, unknown>;
  body: Buffer;
  /** The request has ended by a time limit. */
  isTimedOut: boolean;
}

/**
 * An HTTP client for health systems: https and public addresses only, checked for each connection, unless private
 * addresses are allowed. Every status is a response; redirects are left to the caller.
 */
export function healthSystemHttp(allowPrivateAddresses: boolean): AxiosInstance {
  const http = axios.create({
    ...outboundAgents({ allowPrivateAddresses, keepAlive: true, maxSockets: 64, maxFreeSockets: 16 }),
    maxRedirects: 0,
    proxy: false,
    responseType: 'stream',
    validateStatus: () => true,
    headers: { 'User-Agent': 'Tributary' },
  });
  if (!allowPrivateAddresses) {
    http.interceptors.request.use((request) => {
      assertPublicUrl(new URL(request.url ?? ''));
      return request;
    });
  }
  return http;
}

export interface SendOptions {
  http: AxiosInstance;
  headers: Record<string, string>;
  maxBytes: number;
  /** Already reserved for the expected size of the body. */
  reservation: Reservation;
  /** How long the connection may deliver nothing, in milliseconds. */
  idleTimeoutMs: number;
  signal: AbortSignal;
}

/**
 * Sends one GET request and reads the body as it arrives, at most `maxBytes`. A failure on the way (connection, time
 * limit, body cut short) is a response with status 0. The request ends within `idleTimeoutMs` without data and
 * `bodyTimeoutMs` in total.
 * @throws AddressForbidden
 * @throws ResponseTooLarge
 * @throws ResponseMemoryExhausted when the memory budget has no room for the body
 * @throws the reason of the signal
 */
export async function send(url: URL, options: SendOptions): Promise<HttpResponse> {
  const { http, signal, idleTimeoutMs: timeout } = options;
  signal.throwIfAborted();
  try {
    const response = await http.get<Readable>(url.href, { headers: options.headers, signal, timeout });
    const headers = { ...response.headers };
    const body = await readBody(response.data, contentLength(headers), options);
    return { status: response.status, headers, body, isTimedOut: false };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof HealthSystemRequestFailed || error instanceof ResponseMemoryExhausted) throw error;
    if (error instanceof AddressNotAllowed || (error instanceof Error && error.cause instanceof AddressNotAllowed))
      throw new AddressForbidden();
    if (error instanceof IncompleteBody) return noResponse(error.isTimedOut);
    if (error instanceof AxiosError) return noResponse(error.code === 'ECONNABORTED' || error.code === 'ETIMEDOUT');
    throw error;
  }
}

function noResponse(isTimedOut: boolean): HttpResponse {
  return { status: 0, headers: {}, body: Buffer.alloc(0), isTimedOut };
}

/** The connection ended, or a time limit passed, before the body was complete. */
class IncompleteBody extends Error {
  constructor(readonly isTimedOut: boolean) {
    super('the body is incomplete');
  }
}

async function readBody(
  stream: Readable,
  expectedBytes: number,
  { maxBytes, reservation, idleTimeoutMs }: SendOptions,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  const cancel = (): unknown => stream.destroy(new IncompleteBody(true));
  const bodyTimer = setTimeout(cancel, bodyTimeoutMs);
  const idleTimer = setTimeout(cancel, idleTimeoutMs);
  try {
    if (expectedBytes > 0) {
      ensureReserved(reservation, expectedBytes, maxBytes, expectedBytes);
      reservation.shrinkTo(expectedBytes);
    }
    for await (const part of stream as AsyncIterable<Buffer>) {
      idleTimer.refresh();
      size += part.length;
      ensureReserved(reservation, size, maxBytes);
      parts.push(part);
    }
  } catch (error) {
    stream.destroy();
    const isKnown =
      error instanceof HealthSystemRequestFailed ||
      error instanceof ResponseMemoryExhausted ||
      error instanceof IncompleteBody;
    throw isKnown ? error : new IncompleteBody(false);
  } finally {
    clearTimeout(bodyTimer);
    clearTimeout(idleTimer);
  }
  reservation.shrinkTo(size);
  return Buffer.concat(parts, size);
}

/** The bytes of the decoded body; 0 when they are not known in advance. */
function contentLength(headers: Record<string, unknown>): number {
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

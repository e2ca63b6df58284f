import type { Readable } from 'node:stream';
import { AddressNotAllowed, outboundAgents, assertPublicUrl } from '@tributary/public-addresses';
import axios, { type AxiosInstance, AxiosError } from 'axios';
import type { AnswerRoom } from './answer-budget';
import { AddressForbidden, AnswerCutOff, AnswerTooLarge, HealthSystemUnreachable } from './health-system-unreachable';

/** So long a connection may be silent. */
const silentMs = 60_000;
/** So long one answer may take to come in, however slowly it trickles. */
const slowestMs = 600_000;

export interface HttpAnswer {
  /** 0 when no answer came, or not all of it. */
  status: number;
  headers: Record<string, unknown>;
  body: Buffer;
}

/** HTTP to health systems: https and public addresses only unless `allowPrivateAddresses`; any status is an answer; redirects are left to the caller. */
export function healthSystemHttp(allowPrivateAddresses: boolean): AxiosInstance {
  const http = axios.create({
    ...outboundAgents({ allowPrivateAddresses, keepAlive: true, maxSockets: 64, maxFreeSockets: 16 }),
    timeout: silentMs,
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

export interface Sending {
  http: AxiosInstance;
  headers: Record<string, string>;
  mostBytes: number;
  /** Has a reservation for what is read. */
  room: AnswerRoom;
  signal: AbortSignal;
}

/**
 * One request. The answer is read as it comes, and no further than `mostBytes`.
 * @throws AddressForbidden; AnswerTooLarge; AnswerCutOff when there is no memory for all of it
 */
export async function send(url: URL, sending: Sending): Promise<HttpAnswer> {
  const { http, signal } = sending;
  signal.throwIfAborted();
  try {
    const response = await http.get<Readable>(url.href, { headers: sending.headers, signal });
    const headers = { ...response.headers };
    return { status: response.status, headers, body: await readBody(response.data, announcedBytes(headers), sending) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof HealthSystemUnreachable || error instanceof AnswerCutOff) throw error;
    if (error instanceof AddressNotAllowed || (error instanceof Error && error.cause instanceof AddressNotAllowed))
      throw new AddressForbidden();
    if (error instanceof AxiosError || error instanceof BrokenOff)
      return { status: 0, headers: {}, body: Buffer.alloc(0) };
    throw error;
  }
}

/** The answer ended before it was whole. */
class BrokenOff extends Error {}

async function readBody(stream: Readable, announced: number, { mostBytes, room }: Sending): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  const breakOff = (): unknown => stream.destroy(new BrokenOff());
  const slowest = setTimeout(breakOff, slowestMs);
  const silent = setTimeout(breakOff, silentMs);
  try {
    if (announced > 0) {
      keepRoom(room, announced, mostBytes, announced);
      room.shrinkTo(announced);
    }
    for await (const part of stream as AsyncIterable<Buffer>) {
      silent.refresh();
      size += part.length;
      keepRoom(room, size, mostBytes);
      parts.push(part);
    }
  } catch (error) {
    stream.destroy();
    throw error instanceof HealthSystemUnreachable || error instanceof AnswerCutOff ? error : new BrokenOff();
  } finally {
    clearTimeout(slowest);
    clearTimeout(silent);
  }
  room.shrinkTo(size);
  return Buffer.concat(parts, size);
}

/** @returns 0 when the size of the body is not known before it comes */
function announcedBytes(headers: Record<string, unknown>): number {
  return headers['content-encoding'] === undefined ? Number(headers['content-length']) || 0 : 0;
}

/** @param needs what to reserve when there is no memory; by default twice as much, so that the answer does not come again for every part */
function keepRoom(room: AnswerRoom, bytes: number, mostBytes: number, needs = Math.min(2 * bytes, mostBytes)): void {
  if (bytes > mostBytes) throw new AnswerTooLarge(mostBytes);
  if (!room.growTo(bytes)) throw new AnswerCutOff(needs);
}

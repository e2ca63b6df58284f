import type { Readable } from 'node:stream';
import { AddressRefused, outboundAgents, refuseUnsafeUrl } from '@tributary/public-addresses';
import axios, { type AxiosInstance, AxiosError } from 'axios';
import type { AnswerRoom } from './answer-budget';
import { AddressForbidden, AnswerTooLarge, HealthSystemUnreachable } from './health-system-unreachable';

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

/** HTTP to health systems: https and public addresses only unless `anyAddress`; any status is an answer; redirects are left to the caller. */
export function healthSystemHttp(anyAddress: boolean): AxiosInstance {
  const http = axios.create({
    ...outboundAgents({ anyAddress, keepAlive: true, maxSockets: 64, maxFreeSockets: 16 }),
    timeout: silentMs,
    maxRedirects: 0,
    proxy: false,
    responseType: 'stream',
    validateStatus: () => true,
    headers: { 'User-Agent': 'Tributary' },
  });
  if (!anyAddress) {
    http.interceptors.request.use((request) => {
      refuseUnsafeUrl(new URL(request.url ?? ''));
      return request;
    });
  }
  return http;
}

export interface Sending {
  http: AxiosInstance;
  headers: Record<string, string>;
  mostBytes: number;
  /** Takes what is read. */
  room: AnswerRoom;
  signal: AbortSignal;
}

/**
 * One request. The answer is read as it comes, and no further than `mostBytes`.
 * @throws AddressForbidden; AnswerTooLarge
 */
export async function send(url: URL, sending: Sending): Promise<HttpAnswer> {
  const { http, headers, signal } = sending;
  signal.throwIfAborted();
  try {
    const response = await http.get<Readable>(url.href, { headers, signal });
    return { status: response.status, headers: { ...response.headers }, body: await readBody(response.data, sending) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof HealthSystemUnreachable) throw error;
    if (error instanceof AddressRefused || (error instanceof Error && error.cause instanceof AddressRefused)) throw new AddressForbidden();
    if (error instanceof AxiosError || error instanceof BrokenOff) return { status: 0, headers: {}, body: Buffer.alloc(0) };
    throw error;
  }
}

/** The answer ended before it was whole. */
class BrokenOff extends Error {}

async function readBody(stream: Readable, { mostBytes, room, signal }: Sending): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => stream.destroy(new BrokenOff()), slowestMs);
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > mostBytes) throw new AnswerTooLarge(mostBytes);
      const turn = room.take(part.length, signal);
      if (turn) await turn;
      parts.push(part);
    }
  } catch (error) {
    stream.destroy();
    throw error instanceof HealthSystemUnreachable ? error : new BrokenOff();
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(parts, size);
}

import { outboundAgents, refuseUnsafeUrl } from '@tributary/public-addresses';
import axios, { type AxiosInstance } from 'axios';

const timeoutMs = 60_000;
/** Bundles of tens of megabytes are seen; what is larger is not read. */
const mostBytes = 128 * 1024 * 1024;

/** HTTP to health systems: https and public addresses only unless `anyAddress`; any status is an answer; redirects are left to the caller. */
export function healthSystemHttp(anyAddress: boolean): AxiosInstance {
  const http = axios.create({
    ...outboundAgents({ anyAddress, keepAlive: true, maxSockets: 64, maxFreeSockets: 16 }),
    timeout: timeoutMs,
    maxRedirects: 0,
    maxContentLength: mostBytes,
    proxy: false,
    responseType: 'arraybuffer',
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

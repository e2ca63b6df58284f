import type { NewAuditEvent } from '@tributary/audit-log';
import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import { clientAddress } from '../transport/client-address';

/** The first product of `User-Agent`, without comments, which can be long and identify a person's device. */
const product = /^[\w.-]{1,40}(?:\/[\w.-]{1,20})?/;

/** Where a request comes from, for its audit event. */
export function requestOrigin(
  request: IncomingMessage,
  trustedProxies: BlockList,
): Pick<NewAuditEvent, 'address' | 'userAgent'> {
  const [userAgent] = product.exec(request.headers['user-agent'] ?? '') ?? [];
  return { address: clientAddress(request, trustedProxies), ...(userAgent === undefined ? {} : { userAgent }) };
}

import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import { noAuditTrail } from '@tributary/audit-log';
import { AccessRecord } from './access-record';

it('builds no event for a trail that keeps nothing', async () => {
  const used = (): never => {
    throw new Error('an event is built');
  };
  const request = Object.defineProperty({}, 'headers', { get: used }) as IncomingMessage;
  const access = new AccessRecord({ ...noAuditTrail, record: used, count: used }, request, new BlockList());
  access.begin({ method: 'POST', release: 'r4', route: '', segments: [] }, 'r-1');
  const error = new Error('for the test');
  expect(await access.failed(error, true)).toBe(error);
  access.user = { serviceUserId: 1, clientId: 'client' };
  await access.succeeded({ status: 200, access: Object.defineProperty({}, 'entities', { get: used }) });
  expect(await access.failed(error, true)).toBe(error);
});

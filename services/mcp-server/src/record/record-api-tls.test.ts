import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCertificates } from '@tributary/certificates';
import { PublicApi } from '@tributary/outbound';
import { ServiceRuntime } from '@tributary/service-kit';
import { waitUntil } from '@tributary/test-environment';
import { pino } from 'pino';
import { connection } from '../../test/connection';
import { RecordApi } from './record-api';

const folder = mkdtempSync(join(tmpdir(), 'public-api-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('trusts the authorities of the suite, also after they were replaced', async () => {
  const issue = () => issueCertificates({ gateway: ['127.0.0.1'], 'mcp-server': ['mcp-server'] });
  const [first, second] = await Promise.all([issue(), issue()]);
  const files = {
    certificate: join(folder, 'tls.crt'),
    key: join(folder, 'tls.key'),
    authority: join(folder, 'ca.crt'),
    reloadEveryMs: 20,
  };
  const write = ({ authority, certificates }: typeof first): void => {
    writeFileSync(files.certificate, certificates['mcp-server'].certificate);
    writeFileSync(files.key, certificates['mcp-server'].key);
    writeFileSync(files.authority, authority);
  };
  const serverOptions = ({ certificates: { gateway } }: typeof first) => ({
    cert: gateway.certificate,
    key: gateway.key,
  });
  const gateway = createServer(serverOptions(first), (_request, response) =>
    response.end(JSON.stringify({ success: true, entry: [connection] })),
  ).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  write(first);
  const runtime = await ServiceRuntime.open({ name: 'mcp-server', tls: files }, pino({ level: 'silent' }));
  const url = `https://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const api = new PublicApi(url, () => runtime.identity?.options(), 'a-test');
  const connections = (): Promise<unknown[]> =>
    new RecordApi(api, { token: 'token', requestId: 'id', signal: AbortSignal.timeout(10_000) }).connections();
  try {
    expect(await connections()).toHaveLength(1);

    gateway.setSecureContext(serverOptions(second));
    gateway.closeIdleConnections();
    await expect(connections()).rejects.toThrow('The record is not available');
    const before = runtime.identity?.options();
    write(second);
    await waitUntil(() => runtime.identity?.options() !== before);
    expect(await connections()).toHaveLength(1);
  } finally {
    await runtime.close();
    gateway.closeAllConnections();
    gateway.close();
  }
});

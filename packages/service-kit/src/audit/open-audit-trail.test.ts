import { generateKeyPairSync } from 'node:crypto';
import { createAuditSchema } from '@tributary/audit-log';
import { createDatabase, createRole } from '@tributary/test-environment';
import { Client } from 'pg';
import { pino } from 'pino';
import { databaseConfig } from '../config/database-config';
import { ServiceRuntime } from '../runtime/service-runtime';
import { auditConfig } from './open-audit-trail';

const log = pino({ level: 'silent' });
const sealingKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .publicKey.export({ type: 'spki', format: 'der' })
  .toString('base64');

function settings(url: string, pooler: 'none' | 'transaction' = 'none') {
  return {
    ...databaseConfig.parse({ DATABASE_URL: url, DATABASE_POOLER: pooler }),
    ...auditConfig.parse({ AUDIT_SEALING_KEY: sealingKey }),
  };
}

it.each(['none', 'transaction'] as const)('records with the pooler %s as the role of the service', async (pooler) => {
  const database = await createDatabase();
  const role = await createRole(database, 'auth');
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const name = new URL(role.url).username;
  await createAuditSchema(client, { writers: [name], reader: name });
  const runtime = await ServiceRuntime.open({ name: 'auth', audit: settings(role.url, pooler) }, log);
  await runtime.audit.record({ kind: 'token.issued', action: 'E', outcome: 'success', agent: { clientId: 'app' } });
  await runtime.close();
  const { rows } = await client.query(
    'SELECT service, sum(events)::int AS events, b.written_by FROM audit.stream JOIN audit.block b USING (stream_id) GROUP BY 1, 3',
  );
  expect(rows).toEqual([{ service: 'auth', events: 3, written_by: name }]);
  await client.end();
  await database.drop();
  await role.drop();
});

it('does not open in a database without the tables', async () => {
  const database = await createDatabase();
  await expect(ServiceRuntime.open({ name: 'auth', audit: settings(database.url) }, log)).rejects.toThrow(
    'provision the database',
  );
  await database.drop();
});

it('records nothing without a sealing key', async () => {
  const runtime = await ServiceRuntime.open(
    { name: 'auth', audit: databaseConfig.parse({ DATABASE_URL: 'postgres://nowhere' }) },
    log,
  );
  await runtime.audit.record({ kind: 'token.issued', action: 'E', outcome: 'success', agent: {} });
  await runtime.close();
});

import { randomBytes, randomUUID } from 'node:crypto';
import { CheckpointKey, StreamKeyOpener, wrapStreamKey } from '@tributary/audit-log';
import { makeSecrets, secretsOf, services } from './secrets';

const base64 = /^[A-Za-z0-9+/]+=*$/;
const servers = { postgres: { host: 'postgres', port: 5432 }, redisUrl: 'rediss://redis:6379' };

describe('the secrets of an installation', () => {
  const stored = new Map<string, string>();
  const keep = (name: string, make: () => string): string =>
    stored.get(name) ?? stored.set(name, make()).get(name) ?? '';

  it('are made once', () => {
    expect(makeSecrets(keep)).toEqual(makeSecrets(keep));
    expect(new Set(stored.values()).size).toBe(stored.size);
  });

  it('reach only the services that need them', () => {
    const secrets = makeSecrets(keep);
    expect(Object.keys(secretsOf('auth', secrets, servers))).toEqual([
      'DATABASE_URL',
      'DATABASE_PASSWORD',
      'REDIS_URL',
      'REDIS_PASSWORD',
      'SERVICE_KEY',
      'SERVICE_KEYS',
      'AUDIT_SEALING_KEY',
    ]);
    expect(secretsOf('mcp-server', secrets, servers)).toEqual({
      REDIS_URL: 'rediss://mcp-server@redis:6379',
      REDIS_PASSWORD: secrets.redisPasswords['mcp-server'],
      SERVICE_KEY: secrets.serviceKeys['mcp-server'],
      SERVICE_KEYS: '{}',
    });
    expect(secretsOf('console', secrets, servers)).toEqual({
      DATABASE_URL: 'postgres://console@postgres:5432/tributary',
      DATABASE_PASSWORD: secrets.databasePasswords.console,
      REDIS_URL: 'rediss://console@redis:6379',
      REDIS_PASSWORD: secrets.redisPasswords.console,
      SERVICE_KEY: secrets.serviceKeys.console,
      SERVICE_KEYS: '{}',
      KEY_ENCRYPTION_KEY: secrets.keyEncryptionKeys.console,
      AUDIT_SEALING_KEY: expect.stringMatching(base64) as string,
    });
    expect(secretsOf('fhir-store', secrets, servers)).toEqual({
      DATABASE_URL: 'postgres://fhir_store@postgres:5432/tributary',
      DATABASE_PASSWORD: secrets.databasePasswords['fhir-store'],
      REDIS_URL: 'rediss://fhir-store@redis:6379',
      REDIS_PASSWORD: secrets.redisPasswords['fhir-store'],
      SERVICE_KEY: secrets.serviceKeys['fhir-store'],
      SERVICE_KEYS: JSON.stringify({
        'user-management': secrets.serviceKeys['user-management'],
        'ingestion-worker': secrets.serviceKeys['ingestion-worker'],
        console: secrets.serviceKeys.console,
      }),
      KEY_ENCRYPTION_KEY: secrets.keyEncryptionKeys.records,
      PAGE_TOKEN_KEY: secrets.pageTokenKey,
      AUDIT_SEALING_KEY: expect.stringMatching(base64) as string,
    });
    expect(secretsOf('audit-log', secrets, servers)).toEqual({
      DATABASE_URL: 'postgres://audit_log@postgres:5432/tributary',
      DATABASE_PASSWORD: secrets.databasePasswords['audit-log'],
      REDIS_URL: 'rediss://audit-log@redis:6379',
      REDIS_PASSWORD: secrets.redisPasswords['audit-log'],
      SERVICE_KEYS: JSON.stringify({ console: secrets.serviceKeys.console }),
      SERVICE_KEY: secrets.serviceKeys['audit-log'],
      PAGE_TOKEN_KEY: secrets.auditPageTokenKey,
      AUDIT_SEALING_KEY: expect.stringMatching(base64) as string,
      AUDIT_OPENING_KEY: secrets.auditOpeningKey,
      AUDIT_SIGNING_KEY: secrets.auditSigningKey,
    });
  });

  it('open the records of users for two services only', () => {
    const secrets = makeSecrets(keep);
    const holders = services.filter((service) =>
      Object.values(secretsOf(service, secrets, servers)).includes(secrets.keyEncryptionKeys.records),
    );
    expect(holders).toEqual(['fhir-store', 'analytics-export']);
  });

  it('include keys of the audit log that fit, also while they are replaced', () => {
    const next = makeSecrets((_name, make) => make()).auditOpeningKey;
    const secrets = makeSecrets(keep);
    const during = { ...secrets, auditOpeningKey: `${secrets.auditOpeningKey}\n${next}` };
    const sealing = (secretsOf('auth', during, servers)['AUDIT_SEALING_KEY'] ?? '').split('\n');
    const opener = new StreamKeyOpener([secrets.auditOpeningKey, next]);
    const streamId = randomUUID();
    const key = randomBytes(32);
    expect(sealing).toHaveLength(2);
    for (const each of sealing) expect(opener.open({ streamId, ...wrapStreamKey(each, streamId, key) })).toEqual(key);
    expect(new CheckpointKey(secrets.auditSigningKey).publicKey).toHaveLength(32);
  });

  it('do not include comments', () => {
    const secrets = makeSecrets(keep);
    const key = secrets.serviceKeys['user-management'];
    const during = {
      ...secrets,
      serviceKeys: { ...secrets.serviceKeys, 'user-management': `# made in spring\n  ${key}\r\n # the next one: soon` },
      auditOpeningKey: `# a comment\n${secrets.auditOpeningKey}`,
    };
    expect(JSON.parse(secretsOf('search', during, servers)['SERVICE_KEYS'] ?? '')).toEqual({
      'user-management': key,
      console: secrets.serviceKeys.console,
    });
    expect(secretsOf('auth', during, servers)['AUDIT_SEALING_KEY']).toMatch(base64);
  });

  it('are accepted in both forms while they are replaced', () => {
    const secrets = makeSecrets(keep);
    const [old, fresh] = [secrets.serviceKeys['user-management'], 'the next key of user-management'];
    const during = { ...secrets, serviceKeys: { ...secrets.serviceKeys, 'user-management': `${old}\n\n${fresh}` } };
    expect(secretsOf('user-management', during, servers)['SERVICE_KEY']).toBe(`${old}\n\n${fresh}`);
    expect(JSON.parse(secretsOf('search', during, servers)['SERVICE_KEYS'] ?? '')).toEqual({
      'user-management': [old, fresh],
      console: secrets.serviceKeys.console,
    });
  });
});

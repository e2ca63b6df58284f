import { makeSecrets, secretsOf } from './secrets';

const server = { host: 'postgres', port: 5432 };

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
    expect(Object.keys(secretsOf('auth', secrets, server))).toEqual(['DATABASE_URL', 'SERVICE_KEY', 'SERVICE_KEYS']);
    expect(secretsOf('mcp-server', secrets, server)).toEqual({
      SERVICE_KEY: secrets.serviceKeys['mcp-server'],
      SERVICE_KEYS: '{}',
    });
    expect(secretsOf('fhir-store', secrets, server)).toEqual({
      DATABASE_URL: `postgres://fhir_store:${secrets.databasePasswords['fhir-store']}@postgres:5432/tributary`,
      SERVICE_KEY: secrets.serviceKeys['fhir-store'],
      SERVICE_KEYS: JSON.stringify({
        'user-management': secrets.serviceKeys['user-management'],
        'ingestion-worker': secrets.serviceKeys['ingestion-worker'],
      }),
      KEY_ENCRYPTION_KEY: secrets.keyEncryptionKey,
      PAGE_TOKEN_KEY: secrets.pageTokenKey,
    });
  });

  it('are accepted in both forms while they are replaced', () => {
    const secrets = makeSecrets(keep);
    const [old, fresh] = [secrets.serviceKeys['user-management'], 'the next key of user-management'];
    const during = { ...secrets, serviceKeys: { ...secrets.serviceKeys, 'user-management': `${old}\n\n${fresh}` } };
    expect(secretsOf('user-management', during, server)['SERVICE_KEY']).toBe(`${old}\n\n${fresh}`);
    expect(JSON.parse(secretsOf('search', during, server)['SERVICE_KEYS'] ?? '')).toEqual({
      'user-management': [old, fresh],
    });
  });
});

import { readProvisionSettings } from './config';
import { databaseUsers } from './provision';

const password = 'Ohx0mie2aeGh7ohk';
const passwords = Object.fromEntries(
  databaseUsers.map((user, index) => [
    `${user.toUpperCase().replaceAll('-', '_')}_DATABASE_PASSWORD`,
    `${index}Jk2mW9xB4nV6qM1z`,
  ]),
);
const safe: NodeJS.ProcessEnv = {
  ...passwords,
  SUPERUSER_URL: `postgres://postgres:${password}@db.example/postgres?sslmode=verify-full`,
};

function problemOf(changed: NodeJS.ProcessEnv): string {
  try {
    readProvisionSettings({ ...safe, ...changed });
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
}

const url = (of: string, query = '?sslmode=verify-full'): string =>
  `postgres://postgres:${of}@db.example/postgres${query}`;

describe('the settings of the provisioning', () => {
  it('are used when they are safe', () => {
    const { server, options } = readProvisionSettings({ ...safe, AUDIT_RETENTION_DAYS: '3000' });
    expect(server).toEqual({ DATABASE_URL: safe['SUPERUSER_URL'] });
    expect(options).toEqual({ auditRetentionDays: 3000 });
    expect(readProvisionSettings({ ...safe, AUTH_DATABASE_PASSWORD: 'an old password, 1\nVu7Jk2mW9xB4nV6q' })).toEqual(
      expect.objectContaining({ passwords: expect.objectContaining({ auth: 'Vu7Jk2mW9xB4nV6q' }) as unknown }),
    );
    const separate = { SUPERUSER_URL: 'postgres://postgres@db.example/postgres?sslmode=verify-full' };
    expect(problemOf({ ...separate, SUPERUSER_PASSWORD: password })).toBe('none');
  });

  it.each<[string, NodeJS.ProcessEnv, string]>([
    ['no server', { SUPERUSER_URL: '' }, 'SUPERUSER_URL (the PostgreSQL server, .*): is not set'],
    ['a connection without TLS', { SUPERUSER_URL: url(password, '') }, 'SUPERUSER_URL: connects without verified TLS'],
    [
      'a connection that is not verified',
      { SUPERUSER_URL: url(password, '?sslmode=no-verify') },
      'SUPERUSER_URL: connects without verified TLS: set DATABASE_CA_FILE, or sslmode=verify-full in the URL',
    ],
    [
      'a default password',
      { SUPERUSER_URL: url('tributary') },
      'SUPERUSER_URL: has a password that is shorter than 16',
    ],
    ['common words', { SUPERUSER_URL: url('tributary-postgres') }, 'SUPERUSER_URL: .*is made of common words'],
    [
      'no password',
      { SUPERUSER_URL: 'postgres://postgres@db.example/postgres?sslmode=verify-full' },
      'SUPERUSER_URL: has no password: set SUPERUSER_PASSWORD to a random one of at least 16 characters',
    ],
    [
      'a short password of its own',
      { SUPERUSER_URL: 'postgres://postgres@db.example/x?sslmode=verify-full', SUPERUSER_PASSWORD: 'tooshort' },
      'SUPERUSER_PASSWORD: has a value that is shorter than 16 characters',
    ],
    [
      'no password of a service',
      { AUTH_DATABASE_PASSWORD: '' },
      'AUTH_DATABASE_PASSWORD (the password of the role of auth.*): is not set',
    ],
    [
      'a short password of a service',
      { AUDIT_LOG_DATABASE_PASSWORD: 'tooshort' },
      'AUDIT_LOG_DATABASE_PASSWORD: has a value that is shorter than 16 characters',
    ],
    [
      'one password of two roles',
      { AUTH_DATABASE_PASSWORD: passwords['SEARCH_DATABASE_PASSWORD'] },
      'SEARCH_DATABASE_PASSWORD: has the same value as AUTH_DATABASE_PASSWORD',
    ],
    ['a file that is not there', { DATABASE_CA_FILE: '/nowhere/ca.crt' }, 'DATABASE_CA_FILE: .*cannot be read'],
    ['less than six years', { AUDIT_RETENTION_DAYS: '2190' }, 'AUDIT_RETENTION_DAYS: must be at least 2196'],
    ['a time that is no number', { AUDIT_RETENTION_DAYS: 'six years' }, 'AUDIT_RETENTION_DAYS .*number of days'],
  ])('refuse %s, without a value in the message', (_what, changed, message) => {
    const found = problemOf(changed);
    expect(found).toMatch(new RegExp(message.replaceAll(/[()]/g, String.raw`\$&`)));
    for (const value of [password, 'tooshort', 'tributary-postgres']) expect(found).not.toContain(value);
  });

  it('may be simple in a sandbox, and encrypted there, too, with REQUIRE_TLS', () => {
    const simple = { SANDBOX_MODE: 'true', SUPERUSER_URL: url('tributary', '') };
    expect(problemOf(simple)).toBe('none');
    expect(problemOf({ ...simple, REQUIRE_TLS: 'true' })).toContain('SUPERUSER_URL: connects without verified TLS');
  });
});

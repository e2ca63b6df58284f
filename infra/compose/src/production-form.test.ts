import { readComposeFile, readRepositoryFile, testProductionForm } from '../test/compose-file';

const production = readComposeFile(readRepositoryFile('docker-compose.yml'));
const sandbox = readComposeFile(readRepositoryFile('infra/compose/sandbox.yml'));
const development = readComposeFile(readRepositoryFile('infra/compose/development.yml'));

describe('the production form', () => testProductionForm(production));

describe('the development form', () => {
  it('takes back every certificate and every address over TLS of the production form', () => {
    for (const name of Object.keys({ ...production.services, ...sandbox.services })) {
      const changed = Object.assign(
        {},
        ...[production, sandbox, development].map(({ services }) => services[name]?.environment),
      ) as Record<string, string>;
      const ofTls = Object.entries(changed).filter(
        ([variable, value]) =>
          !['', 'false'].includes(value) &&
          (/TLS|_CA_/.test(variable) || /^(?:https|rediss|smtps):/.test(value) || value.includes('ca.crt')),
      );
      expect([name, ofTls]).toEqual([name, []]);
    }
  });

  it('is reached from this machine alone, and has no password', () => {
    const ports = Object.values(development.services).flatMap((service) => service.ports);
    expect(ports).toHaveLength(5);
    for (const port of [...ports, ...(sandbox.services['sandbox-mail']?.ports ?? [])])
      expect(port).toMatch(/^127\.0\.0\.1:/);
    expect(JSON.stringify([sandbox, development])).not.toMatch(
      /:\/\/[^/"@{}]*:[^/"@{}]*@|_(?:PASSWORD|SECRET)"|PASSWORD:-/,
    );
  });
});

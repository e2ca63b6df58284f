import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { adminCommands } from './commands';

const mockPrograms = new Map<string, Command>();
jest.mock('../../../../packages/service-kit/src/audit/run-admin-command', () => ({
  runAdminCommand: (service: string, programOf: (recordSubjects: () => Promise<void>) => Command) =>
    mockPrograms.set(
      service,
      programOf(() => Promise.resolve()),
    ),
}));

it('lists the commands of all services, each of which runs by runAdminCommand', async () => {
  const folder = join(__dirname, '../../../../services');
  const programs = readdirSync(folder)
    .map((service) => ({ service, path: join(folder, service, 'src', 'admin.ts') }))
    .filter(({ path }) => existsSync(path));
  for (const { path } of programs) await import(path);
  expect([...mockPrograms.keys()]).toEqual(programs.map(({ service }) => service));

  const found = [...mockPrograms].flatMap(([service, { commands }]) =>
    commands.map((command) => `${command.name()} of ${service}`),
  );
  const listed = Object.entries(adminCommands).flatMap(([name, { services }]) =>
    services.map((service) => `${name} of ${service}`),
  );
  expect(listed.sort()).toEqual(found.sort());
});

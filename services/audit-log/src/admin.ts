import { once } from 'node:events';
import { openPool, readConfig, runAdminCommand, withoutTimeLimits } from '@tributary/service-kit';
import { Command } from 'commander';
import type { Pool } from 'pg';
import { auditCommand } from './commands/audit-command';
import { type LogConfig, adminConfig } from './config';

async function withLog(work: (pool: Pool, config: LogConfig) => Promise<void>): Promise<void> {
  const config = readConfig(adminConfig);
  const pool = openPool(withoutTimeLimits(config), 'audit', { size: 2 });
  try {
    await work(pool, config);
  } finally {
    await pool.end();
  }
}

async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}

void runAdminCommand('audit-log', (recordSubjects) =>
  new Command()
    .description('Reads and verifies the audit log of all services.')
    .addCommand(auditCommand({ recordSubjects, withLog, print, warn, fail: () => (process.exitCode = 1) })),
);

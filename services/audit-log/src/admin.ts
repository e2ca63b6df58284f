import { once } from 'node:events';
import { StreamKeyOpener } from '@tributary/audit-log';
import { openPool, readConfig, withoutTimeLimits } from '@tributary/service-kit';
import { Command } from 'commander';
import { AuditBlocks } from './blocks/audit-blocks';
import { type OpenAuditLog, auditCommand } from './commands/audit-command';
import { adminConfig } from './config';

async function withLog(work: (log: OpenAuditLog) => Promise<void>): Promise<void> {
  const config = readConfig(adminConfig);
  const pool = openPool(withoutTimeLimits(config), 'audit', { size: 2 });
  try {
    await work({ pool, blocks: new AuditBlocks(pool, new StreamKeyOpener(config.AUDIT_OPENING_KEY.accepted)) });
  } finally {
    await pool.end();
  }
}

async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

const program = new Command('audit-log')
  .description('Reads and verifies the audit log of all services.')
  .addCommand(auditCommand({ withLog, print }))
  .exitOverride();

program.parseAsync().catch((error: unknown) => {
  const byCommander = error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number';
  if (!byCommander) process.stderr.write(`${error instanceof Error ? error.message : 'the command failed'}\n`);
  process.exitCode = byCommander ? Number(error.exitCode) : 1;
});

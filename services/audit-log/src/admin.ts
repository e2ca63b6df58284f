import { once } from 'node:events';
import { openPool, readConfig, runAdminCommand, withoutTimeLimits } from '@tributary/service-kit';
import { Command } from 'commander';
import { openingKeys } from './blocks/opening-keys';
import { type OpenAuditLog, auditCommand } from './commands/audit-command';
import { adminConfig, minRetentionDays } from './config';

async function withLog(work: (log: OpenAuditLog) => Promise<void>): Promise<void> {
  const config = readConfig(adminConfig);
  const pool = openPool(withoutTimeLimits(config), 'audit', { size: 2 });
  try {
    const opener = openingKeys(config.AUDIT_OPENING_KEY);
    const signingKeys = config.AUDIT_SIGNING_KEY.accepted;
    await work({
      pool,
      opener,
      signingKeys,
      anchorFile: config.AUDIT_ANCHOR_FILE,
      minRetentionDays: minRetentionDays(config),
    });
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

import { runAdminCommand } from '@tributary/service-kit';
import { Command, InvalidArgumentError } from 'commander';
import { directoryCommand } from './admin/directory-command';

const program = new Command('search')
  .description(
    'Operates the directory of health systems. DATABASE_URL names the database; SANDBOX_MODE=true allows http and private addresses.',
  )
  .addCommand(directoryCommand())
  .exitOverride();

runAdminCommand('search', process.argv.slice(2), () => program.parseAsync()).catch((error: unknown) => {
  const byCommander = error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number';
  if (!byCommander || error instanceof InvalidArgumentError)
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = byCommander ? Number(error.exitCode) : 1;
});

import type { Command } from 'commander';
import { EXIT } from '../output/exit-codes.ts';
import { auditKeyFile, environment, type Flags } from '../settings/given.ts';
import { terminal } from '../terminal.ts';
import { locationOf, withData } from './options.ts';

export function addVerify(baton: Command): void {
  withData(baton.command('verify [runId]'))
    .description(
      'Check that the stored logs are unchanged: all of them, or one run and the checksums, verdicts and ' +
        'approvals of the values that were merged into it. Exits with 1 if something was changed.',
    )
    .option('--audit-key <file>', 'public or private key of the audit trail (BATON_AUDIT_KEY)')
    .action(async (runId: string | undefined, flags: Flags) => {
      const { verifyAll, verifyRun } = await import('../verify.ts');
      const where = { location: locationOf(flags), keyFile: auditKeyFile(environment(), flags) };
      const agrees = runId === undefined ? verifyAll(where, terminal) : verifyRun(where, runId, terminal);
      if (!(await agrees)) process.exitCode = EXIT.failed;
    });
}

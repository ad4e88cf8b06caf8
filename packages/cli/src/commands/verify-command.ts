import type { Command } from 'commander';
import { auditKeyFile, environment } from '../settings/given.ts';
import { acting } from './acting.ts';
import { locationOf, withData } from './options.ts';

export function addVerify(baton: Command): void {
  acting<[string | undefined]>(withData(baton.command('verify [runId]')), async () => {
    const { verifyAll, verifyRun } = await import('../verify.ts');
    return (out, flags, runId) => {
      const where = { location: locationOf(flags), keyFile: auditKeyFile(environment(), flags) };
      return runId === undefined ? verifyAll(where, out) : verifyRun(where, runId, out);
    };
  })
    .description(
      'Check that the stored logs are unchanged: all of them, or one run and the checksums, verdicts and ' +
        'approvals of the values that were merged into it. Exits with 1 if something was changed.',
    )
    .option('--audit-key <file>', 'public or private key of the audit trail (BATON_AUDIT_KEY)');
}

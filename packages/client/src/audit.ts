import type { AuditLogReport } from '@baton/protocol';
import type { CallOptions, Connection } from './http/connection.ts';
import type { Answer } from './http/contract-types.ts';
import { ask } from './http/request.ts';

export type AuditReport = Exclude<Answer<'verifyAudit'>, AuditLogReport>;
export type AuditKey = Answer<'readAuditKey'>;

export interface VerifyOptions extends CallOptions {
  /** Only this run. */
  readonly runId?: string;
  /** Checkpoints or runs in one report. */
  readonly limit?: number;
}

/** Audits of the stored logs. */
export interface Audit {
  /**
   * Checks that the stored logs were not changed after they were written. The whole audit is a sequence of reports,
   * each of which is checked when it is asked for.
   *
   * @example
   * ```ts
   * import { connect } from '@baton/client';
   *
   * const { audit } = connect({ url: 'http://127.0.0.1:4747', key: 'a-key' });
   * for await (const { ok, findings } of audit.verify()) {
   *   if (!ok) console.error(findings.map(({ message }) => message).join('\n'));
   * }
   * ```
   */
  verify(options?: VerifyOptions): AsyncGenerator<AuditReport, void, undefined>;
  /** Checks entries of the audit log, which are the signed checkpoints of the host. */
  log(fromSeq: number, toSeq: number, options?: CallOptions): Promise<AuditLogReport>;
  /** The public key that verifies the signatures of the host. */
  key(options?: CallOptions): Promise<AuditKey>;
}

export function audit(connection: Connection): Audit {
  return {
    async *verify({ signal, ...query } = {}) {
      let cursor: string | undefined;
      do {
        const answer = await ask(connection, 'verifyAudit', { query: { ...query, cursor }, signal });
        const report = answer as AuditReport;
        yield report;
        cursor = report.nextCursor;
      } while (cursor !== undefined);
    },
    async log(fromSeq, toSeq, options) {
      const answer = await ask(connection, 'verifyAudit', { query: { fromSeq, toSeq }, ...options });
      return answer as AuditLogReport;
    },
    key: (options) => ask(connection, 'readAuditKey', options),
  };
}

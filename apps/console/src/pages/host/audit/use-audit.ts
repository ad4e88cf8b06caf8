import { useCallback, useEffect, useRef, useState } from 'react';
import { baton } from '../../../api/baton.ts';
import { type AuditProgress, NOTHING_CHECKED, withReport } from './audit-progress.ts';

/** Checkpoints or runs in one report. Small enough that the page can tell how far the audit has come. */
const PART = 200;

interface Audit {
  /** Absent before the first audit. */
  readonly progress: AuditProgress | undefined;
  readonly isRunning: boolean;
  readonly error: unknown;
  readonly start: () => void;
  readonly stop: () => void;
}

/** Audits the stored logs part by part. Leaving the page stops the audit. */
export function useAudit(): Audit {
  const [progress, setProgress] = useState<AuditProgress>();
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const current = useRef<AbortController>(undefined);
  const stop = useCallback(() => {
    current.current?.abort();
    setRunning(false);
  }, []);
  useEffect(() => () => current.current?.abort(), []);
  const start = useCallback(() => {
    const leave = new AbortController();
    const { signal } = leave;
    current.current = leave;
    setProgress(NOTHING_CHECKED);
    setError(undefined);
    setRunning(true);
    const run = async () => {
      let found = NOTHING_CHECKED;
      for await (const report of baton.audit.verify({ limit: PART, signal })) {
        if (signal.aborted) return;
        found = withReport(found, report);
        setProgress(found);
      }
    };
    run()
      .catch((fault: unknown) => signal.aborted || setError(fault))
      .finally(() => signal.aborted || setRunning(false));
  }, []);
  return { progress, isRunning, error, start, stop };
}

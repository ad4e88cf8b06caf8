import { useQuery } from '@tanstack/react-query';
import { CircleAlert, ShieldCheck } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { baton } from '../../../api/baton.ts';
import { LookBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopyText, shortId } from '../../../ui/copy.tsx';
import { ErrorState, Unloaded } from '../../../ui/states.tsx';
import { Facts } from '../../../ui/table.tsx';
import { type AuditProgress, checkedText, NOTHING_CHECKED, remarks, withReport } from './audit-progress.ts';
import { readNewestCheckpoint } from './newest-checkpoint.ts';

/** Checks that the stored logs were not changed after they were written. */
export function AuditView() {
  const { progress, isRunning, error, start, stop } = useAudit();
  return (
    <div className="grid gap-4 lg:grid-cols-2 items-start">
      <Card
        title="Verify the logs"
        actions={
          isRunning ? (
            <Button onClick={stop}>Stop</Button>
          ) : (
            <Button kind="primary" icon={<ShieldCheck size={15} aria-hidden />} onClick={start}>
              {progress === undefined ? 'Verify now' : 'Verify again'}
            </Button>
          )
        }
      >
        <p className="text-sm text-muted">
          Each event is bound to the event before it by a hash, and the host signs how far its logs have come.
          The host recomputes both for every run of your tenant.
        </p>
        <div aria-live="polite" className="mt-4 flex flex-col gap-3">
          {error !== undefined && <ErrorState error={error} retry={start} />}
          {progress !== undefined && <Outcome progress={progress} isRunning={isRunning} />}
        </div>
      </Card>
      <Checkpoint />
    </div>
  );
}

interface OutcomeProps {
  readonly progress: AuditProgress;
  readonly isRunning: boolean;
}

function Outcome({ progress, isRunning }: OutcomeProps) {
  const { findings } = progress;
  return (
    <>
      {isRunning && (
        <div>
          <progress aria-label="Audit" className="w-full accent-accent" />
          <p className="text-sm text-muted tabular-nums">Checked so far: {checkedText(progress)}.</p>
        </div>
      )}
      {!isRunning && !progress.isDone && (
        <p className="text-sm">The audit was stopped. Checked until then: {checkedText(progress)}.</p>
      )}
      {!isRunning && progress.isDone && findings.length === 0 && (
        <p className="flex gap-2 rounded-lg bg-added-ground text-added p-3 text-sm">
          <ShieldCheck size={18} aria-hidden className="shrink-0" />
          <span>Nothing was changed after it was written. Checked: {checkedText(progress)}.</span>
        </p>
      )}
      {findings.length > 0 && <Findings findings={findings} />}
      {progress.isDone && remarks(progress).length > 0 && (
        <ul className="text-sm text-muted list-disc pl-5">
          {remarks(progress).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </>
  );
}

const MOST_FINDINGS = 100;

function Findings({ findings }: Pick<AuditProgress, 'findings'>) {
  return (
    <div role="alert" className="rounded-lg border border-danger bg-danger-ground p-3">
      <p className="flex gap-2 text-sm font-medium text-danger">
        <CircleAlert size={18} aria-hidden className="shrink-0" />
        {findings.length === 1
          ? 'The audit found a problem.'
          : `The audit found ${findings.length.toLocaleString('en')} problems.`}
      </p>
      <ul className="mt-2 flex flex-col gap-1 text-sm">
        {findings.slice(0, MOST_FINDINGS).map((finding) => (
          <li
            key={`${finding.what} ${finding.runId} ${finding.checkpoint} ${finding.from}`}
            className="break-words"
          >
            {finding.message}
          </li>
        ))}
      </ul>
      {findings.length > MOST_FINDINGS && (
        <p className="text-sm text-muted mt-2">
          The first {MOST_FINDINGS} are shown. <code className="font-mono">baton audit verify</code> lists
          all.
        </p>
      )}
    </div>
  );
}

/** The newest signed checkpoint, and the key with which anybody can verify it. */
function Checkpoint() {
  const newest = useQuery({
    queryKey: ['audit', 'newest'],
    queryFn: ({ signal }) => readNewestCheckpoint((from, to) => baton.audit.log(from, to, { signal })),
    staleTime: 10_000,
  });
  const key = useQuery({ queryKey: ['audit', 'key'], queryFn: ({ signal }) => baton.audit.key({ signal }) });
  return (
    <Card title="Newest signed checkpoint">
      <Unloaded query={newest} rows={3} className="p-0" />
      {newest.data === null && (
        <p className="text-sm text-muted">
          There is none yet. The host signs one as soon as a run has written events.
        </p>
      )}
      {newest.data != null && (
        <Facts
          facts={[
            ['Number', newest.data.checkpoint.checkpoint],
            [
              'Signature',
              newest.data.isValid ? (
                <LookBadge look="completed">Valid</LookBadge>
              ) : (
                <LookBadge look="failed">Not valid</LookBadge>
              ),
            ],
            [
              'Root',
              <CopyText
                key="root"
                text={newest.data.checkpoint.merkleRoot}
                shown={shortId(newest.data.checkpoint.merkleRoot, 12)}
                label="root"
              />,
            ],
            [
              'Signed as',
              <CopyText
                key="signature"
                text={newest.data.checkpoint.signature}
                shown={shortId(newest.data.checkpoint.signature, 12)}
                label="signature"
              />,
            ],
          ]}
        />
      )}
      {key.data !== undefined && (
        <div className="mt-4 pt-4 border-t border-line">
          <h3>Key of the host</h3>
          <div className="mt-1">
            <Facts
              facts={[
                ['Id', <CopyText key="id" text={key.data.keyId} label="key id" />],
                ['Algorithm', key.data.algorithm],
                [
                  'Public key',
                  <CopyText
                    key="public"
                    text={key.data.publicKey}
                    shown={shortId(key.data.publicKey.replace(/-----[^-]+-----|\s/g, ''), 14)}
                    label="public key"
                  />,
                ],
              ]}
            />
          </div>
          <p className="text-xs text-muted mt-3">
            Keep the newest checkpoint in another place. A log that was changed before it no longer fits its
            root.
          </p>
        </div>
      )}
    </Card>
  );
}

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
function useAudit(): Audit {
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

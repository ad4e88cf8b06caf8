import { CircleAlert, ShieldCheck } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { type AuditProgress, checkedText, remarks } from './audit-progress.ts';
import { Checkpoint } from './checkpoint.tsx';
import { useAudit } from './use-audit.ts';

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

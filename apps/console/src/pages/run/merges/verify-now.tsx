import { CircleCheck, CircleHelp, CircleX, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/class-names.ts';
import { CopyText, shortId } from '../../../ui/copy.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import type { MergeView } from './merge-view.ts';
import type { HostFinding } from './use-merges.ts';
import type { Agreement, Check, Verification } from './verify-merge.ts';

interface VerifyNowProps {
  readonly runId: string;
  readonly merge: MergeView;
  readonly definition: string | undefined;
  readonly finding: HostFinding | undefined;
}

/** A button that recomputes the checksum of a handoff in the browser, and the result in words. */
export function VerifyNow({ runId, merge, definition, finding }: VerifyNowProps) {
  const [result, setResult] = useState<Verification>();
  const [fault, setFault] = useState<unknown>();
  const [busy, setBusy] = useState(false);

  const verify = async () => {
    setBusy(true);
    setFault(undefined);
    try {
      const { verifyNow } = await import('./verify-in-browser.ts');
      setResult(await verifyNow(runId, merge, definition, finding));
    } catch (error) {
      setFault(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <div className="flex flex-col gap-2 min-w-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button onClick={verify} busy={busy} icon={<ShieldCheck size={16} aria-hidden />}>
          {result === undefined ? 'Verify now' : 'Verify again'}
        </Button>
        <p className="text-xs text-muted flex-1 basis-48">
          Your browser reads the values of the child run, computes their SHA-256 checksum by itself and
          compares it with the log.
        </p>
      </div>
      <div aria-live="polite">
        {fault !== undefined && <ErrorState error={fault} />}
        {result !== undefined && <Result result={result} finding={finding} />}
      </div>
    </div>
  );
}

const LOOKS = {
  equal: {
    icon: CircleCheck,
    look: 'text-status-completed',
    ground: 'bg-status-completed-ground border-status-completed',
  },
  different: {
    icon: CircleX,
    look: 'text-status-failed',
    ground: 'bg-status-failed-ground border-status-failed',
  },
  unknown: {
    icon: CircleHelp,
    look: 'text-status-waiting',
    ground: 'bg-status-waiting-ground border-status-waiting',
  },
} as const satisfies Readonly<Record<Agreement, unknown>>;

const SUMMARY: Readonly<Record<Agreement, string>> = {
  equal: 'Everything that was compared is equal.',
  different: 'Something differs from what the log recorded. Do not rely on these values.',
  unknown: 'Not everything could be compared.',
};

function Result({
  result,
  finding,
}: {
  readonly result: Verification;
  readonly finding: HostFinding | undefined;
}) {
  const { icon: Icon, look, ground } = LOOKS[result.agreement];
  return (
    <div className={classes('rounded-md border p-3 flex flex-col gap-2 min-w-0', ground)}>
      <p className={classes('flex items-center gap-2 text-sm font-medium', look)}>
        <Icon size={16} aria-hidden className="shrink-0" />
        {result.checks.length === 0
          ? 'The log recorded nothing that could be compared.'
          : SUMMARY[result.agreement]}
      </p>
      <ul className="flex flex-col gap-2 text-sm">
        {result.checks.map((check) => (
          <CheckLine key={`${check.name} ${check.recorded ?? ''}`} check={check} />
        ))}
      </ul>
      {finding?.matches !== undefined && (
        <p className="text-xs text-text">
          The host recomputed it too and says:{' '}
          {finding.matches
            ? 'the checksum agrees with the logs.'
            : 'the checksum does not agree with the logs.'}
        </p>
      )}
    </div>
  );
}

function CheckLine({ check }: { readonly check: Check }) {
  const { icon: Icon, look } = LOOKS[check.agreement];
  return (
    <li className="flex gap-2 min-w-0">
      <Icon size={14} aria-hidden className={classes('mt-1 shrink-0', look)} />
      <div className="min-w-0">
        <p className="break-words">
          <bdi className="font-medium">{check.name}</bdi>: <bdi>{check.text}</bdi>
        </p>
        {check.computed !== undefined && check.recorded !== undefined && (
          <p className="text-xs flex flex-wrap gap-x-4">
            <span>
              computed{' '}
              <CopyText text={check.computed} shown={shortId(check.computed)} label="computed checksum" />
            </span>
            <span>
              recorded{' '}
              <CopyText text={check.recorded} shown={shortId(check.recorded)} label="recorded checksum" />
            </span>
          </p>
        )}
      </div>
    </li>
  );
}

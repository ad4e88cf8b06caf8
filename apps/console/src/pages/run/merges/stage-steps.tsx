import { Check, Hourglass, type LucideIcon, Minus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from '../../../ui/class-names.ts';
import { Ago } from '../../../ui/times.tsx';
import { type MergeView, type StageName, type StageState, stagesOf } from './merge-view.ts';
import { MomentLink } from './moment-link.tsx';
import { StageDetail } from './stage-details.tsx';

const LABELS: Readonly<Record<StageName, string>> = {
  attested: 'Attested',
  verified: 'Verified',
  approved: 'Approved',
  merged: 'Merged',
};

const REFUSED: Readonly<Record<StageName, string>> = {
  attested: 'not attested',
  verified: 'not passed',
  approved: 'not accepted',
  merged: 'not merged',
};

const LOOKS: Readonly<
  Record<StageState, { readonly icon: LucideIcon; readonly look: string; readonly word: string }>
> = {
  done: {
    icon: Check,
    look: 'bg-status-completed-ground text-status-completed border-current',
    word: 'done',
  },
  waiting: {
    icon: Hourglass,
    look: 'bg-status-waiting-ground text-status-waiting border-current',
    word: 'waiting',
  },
  refused: { icon: X, look: 'bg-status-failed-ground text-status-failed border-current', word: 'refused' },
  skipped: { icon: Minus, look: 'bg-sunken text-muted border-line', word: 'not used' },
};

/** The four stages of a merge gate in a row; below each other where the page is narrow. */
export function StageSteps({ runId, merge }: { readonly runId: string; readonly merge: MergeView }) {
  return (
    <ol className="grid md:grid-cols-4 gap-x-4 gap-y-3" aria-label="Stages of the merge gate">
      {stagesOf(merge).map(({ name, state, at }, index) => (
        <Step key={name} name={name} state={state} isLast={index === 3}>
          {at !== undefined && (
            <p className="text-xs text-muted flex flex-wrap items-center gap-x-1.5">
              <Ago at={at.at} />
              <MomentLink runId={runId} sequence={at.sequence} />
            </p>
          )}
          <StageDetail name={name} state={state} merge={merge} />
        </Step>
      ))}
    </ol>
  );
}

interface StepProps {
  readonly name: StageName;
  readonly state: StageState;
  readonly isLast: boolean;
  readonly children: ReactNode;
}

function Step({ name, state, isLast, children }: StepProps) {
  const { icon: Icon, look, word } = LOOKS[state];
  return (
    <li className="relative flex gap-3 md:block min-w-0">
      <span
        aria-hidden
        className={classes(
          'hidden md:block absolute top-3 left-8 -right-3 border-t',
          isLast && 'md:hidden',
          state === 'done' ? 'border-status-completed' : 'border-line-strong border-dashed',
        )}
      />
      <span className={classes('relative shrink-0 grid place-items-center size-6 rounded-full border', look)}>
        <Icon size={14} aria-hidden />
      </span>
      <div className="min-w-0 md:mt-2 flex flex-col gap-1">
        <h3 className="text-sm font-semibold">
          {LABELS[name]}{' '}
          <span className="font-normal text-muted">· {state === 'refused' ? REFUSED[name] : word}</span>
        </h3>
        {children}
      </div>
    </li>
  );
}

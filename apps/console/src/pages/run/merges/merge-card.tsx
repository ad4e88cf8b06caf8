import type { Json } from '@baton/client';
import { Link } from '@tanstack/react-router';
import { Check, Hourglass, type LucideIcon, Minus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge, LookBadge } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/class-names.ts';
import { CopyText, shortId } from '../../../ui/copy.tsx';
import { JsonView } from '../../../ui/json-view.tsx';
import { Facts } from '../../../ui/table.tsx';
import { Ago } from '../../../ui/times.tsx';
import {
  type MergedValue,
  type MergeView,
  outcomeOf,
  type StageName,
  type StageState,
  stagesOf,
} from './merge-view.ts';
import { MomentLink } from './moment-link.tsx';
import { OUTCOME_LOOK, OUTCOME_WORDS, whyText } from './outcome-words.ts';
import { StageDetail } from './stage-details.tsx';
import type { HostFinding } from './use-merges.ts';
import { VerifyNow } from './verify-now.tsx';

interface MergeCardProps {
  readonly runId: string;
  readonly merge: MergeView;
  readonly definition: string | undefined;
  readonly finding: HostFinding | undefined;
}

/** One handoff: its stages, the values that entered the run, and its verification. */
export function MergeCard({ runId, merge, definition, finding }: MergeCardProps) {
  const outcome = outcomeOf(merge);
  return (
    <article
      className="bg-surface border border-line rounded-lg min-w-0"
      aria-label={`Handoff to ${merge.workerId}, attempt ${merge.attempt}`}
    >
      <header className="px-4 py-3 border-b border-line flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="min-w-0 break-words text-sm font-semibold">
          <bdi>{merge.workerId}</bdi>
        </h2>
        {merge.attempt > 1 && <Badge>attempt {merge.attempt}</Badge>}
        <LookBadge look={OUTCOME_LOOK[outcome]}>
          {merge.gated ? OUTCOME_WORDS[outcome] : 'No merge gate'}
        </LookBadge>
        <span className="text-xs text-muted md:ml-auto flex flex-wrap gap-x-3">
          <span>
            node <bdi className="font-mono">{merge.nodeId}</bdi>
          </span>
          <Link to="/runs/$runId" params={{ runId: merge.childRunId }} className="underline text-accent">
            Child run
          </Link>
        </span>
      </header>
      <div className="p-4 flex flex-col gap-4 min-w-0">
        <p className="text-sm">{whyText(merge)}</p>
        {merge.gated && <StageSteps runId={runId} merge={merge} />}
        <MergedValues merge={merge} finding={finding} />
        {finding?.remote !== undefined && <RemoteResult remote={finding.remote} />}
        {merge.gated && merge.ended?.status === 'completed' && (
          <VerifyNow runId={runId} merge={merge} definition={definition} finding={finding} />
        )}
      </div>
    </article>
  );
}

interface MergedValuesProps {
  readonly merge: MergeView;
  readonly finding: HostFinding | undefined;
}

/** The exact values that entered the parent, and the values that they replaced. */
function MergedValues({ merge, finding }: MergedValuesProps) {
  const { values, edited, artifact } = merge;
  if (values.length === 0) return null;
  return (
    <div className="flex flex-col gap-2 min-w-0">
      <h3 className="text-sm font-semibold">Values that entered the run</h3>
      <ul className="border border-line rounded-md divide-y divide-line">
        {values.map((value) => {
          const found = finding?.variables.find(({ name }) => name === value.name);
          const brought = edited && found && artifact?.[found.from];
          return <Value key={value.sequence} value={value} found={found} brought={brought} />;
        })}
      </ul>
    </div>
  );
}

interface ValueProps {
  readonly value: MergedValue;
  readonly found: HostFinding['variables'][number] | undefined;
  /** The output of the child run, if a person has changed it. */
  readonly brought: Json | undefined;
}

function Value({ value, found, brought }: ValueProps) {
  const { name, next, previous } = value;
  return (
    <li className="px-3 py-2 grid md:grid-cols-2 gap-x-4 gap-y-2 min-w-0">
      <div className="min-w-0">
        <p className="text-sm flex flex-wrap items-center gap-x-2 gap-y-1">
          <bdi className="font-mono font-medium break-all">{name}</bdi>
          {found !== undefined && found.from !== name && (
            <span className="text-xs text-muted">
              from <bdi className="font-mono">{found.from}</bdi> of the child run
            </span>
          )}
          {found?.current === false && <Badge>written again since</Badge>}
        </p>
        {next === undefined ? (
          <p className="text-xs text-muted">The variable was removed.</p>
        ) : (
          <JsonView value={next} depth={1} />
        )}
      </div>
      <div className="min-w-0 md:border-l md:border-line md:pl-4">
        <p className="text-xs text-muted leading-5">
          {previous === undefined ? 'Replaced nothing.' : 'Replaced:'}
        </p>
        {previous !== undefined && <JsonView value={previous} depth={1} />}
        {brought !== undefined && (
          <>
            <p className="text-xs text-muted leading-5 mt-1">The child run brought, before the edit:</p>
            <JsonView value={brought} depth={1} />
          </>
        )}
      </div>
    </li>
  );
}

const SIGNATURES: Readonly<Record<string, string>> = {
  valid: 'valid',
  invalid: 'not valid: the result was not signed by this host',
  'key-unknown': 'not checked: this host does not know the key of the other one',
};

/** What another host has signed, if the child stands for a run there. */
function RemoteResult({ remote }: { readonly remote: NonNullable<HostFinding['remote']> }) {
  return (
    <div className="flex flex-col gap-2">
      <h3 className="text-sm font-semibold">Result of another host</h3>
      <Facts
        facts={[
          ['Host', <bdi key="host">{remote.hostId}</bdi>],
          ['Run there', <CopyText key="run" text={remote.runId} label="id of the run" />],
          [
            'Signed checksum',
            <CopyText
              key="sum"
              text={remote.checksum}
              shown={shortId(remote.checksum)}
              label="signed checksum"
            />,
          ],
          ['Signature', SIGNATURES[remote.signature] ?? remote.signature],
        ]}
      />
    </div>
  );
}

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
function StageSteps({ runId, merge }: { readonly runId: string; readonly merge: MergeView }) {
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

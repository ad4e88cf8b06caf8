import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, buttonClasses } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextAreaField, TextField } from '../../../ui/field.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { tell } from '../../../ui/toast.tsx';
import { indexIn } from './edited-variables.ts';
import { madeText, makeFork } from './fork-form.ts';
import { type ForkChoice, ModeChoice } from './mode-choice.tsx';
import { betterForkIn } from './refusal.ts';
import { type BranchEdits, useBranchEdits } from './use-branch-edits.ts';
import { type ForkSource, useForkSource } from './use-fork-source.ts';
import { VariableFields } from './variable-fields.tsx';

interface ForkDialogProps {
  readonly runId: string;
  /** The fork begins with the state before this event. */
  readonly at: number;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** A replay or a branch from a moment of a run. */
export function ForkDialog({ runId, at, open, onClose }: ForkDialogProps) {
  const { data, error, refetch } = useForkSource(runId, open);
  if (!open) return null;
  if (data !== undefined) return <OpenDialog key={runId} source={data} at={at} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title="Fork this run">
      {error === null ? <Skeleton rows={4} /> : <ErrorState error={error} retry={refetch} />}
    </Dialog>
  );
}

interface OpenDialogProps {
  readonly source: ForkSource;
  readonly at: number;
  readonly onClose: () => void;
}

function OpenDialog({ source, at, onClose }: OpenDialogProps) {
  const { runId, status, lastSequence } = source.snapshot;
  const navigate = useNavigate();
  const [choice, setChoice] = useState<ForkChoice>(status === 'failed' ? 'retry' : 'branch');
  const [indexText, setIndexText] = useState(String(Math.min(at, lastSequence + 1)));
  const index = indexIn(indexText, lastSequence);
  const [fault, setFault] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const branch = useBranchEdits(source, choice === 'branch' ? index : undefined);

  const make = async (beginning: number) => {
    setBusy(true);
    setFault(undefined);
    try {
      const order = { runId, choice, at: beginning, overlay: isReplay(choice) ? {} : branch.overlay };
      const made = await makeFork(order);
      onClose();
      await navigate({ to: '/runs/$runId', params: { runId: made.runId } });
      tell(madeText(order, made), {
        label: 'Compare with the original',
        onClick: () => navigate({ to: '/compare/$runId/$otherId', params: { runId, otherId: made.runId } }),
      });
    } catch (error) {
      setFault(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog
      open
      onClose={onClose}
      title="Fork this run"
      description="A fork is a new run that begins with the past of this one. The original is never touched: its log, its answers and its results stay as they are."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            busy={busy}
            disabled={branch.hasProblem || index === undefined}
            onClick={() => index !== undefined && make(index)}
          >
            {LABELS[choice]}
          </Button>
        </>
      }
    >
      <ModeChoice
        value={choice}
        canRetry={status === 'failed'}
        onChange={(next) => {
          setChoice(next);
          setFault(undefined);
        }}
      />
      {choice !== 'retry' && (
        <IndexField text={indexText} last={lastSequence} onChange={setIndexText} choice={choice} />
      )}
      {!isReplay(choice) && <BranchFields branch={branch} />}
      {fault !== undefined && (
        <ForkRefusal
          error={fault}
          runId={runId}
          onUse={(better) => {
            setIndexText(String(better));
            void make(better);
          }}
          onLeave={onClose}
        />
      )}
    </Dialog>
  );
}

const isReplay = (choice: ForkChoice): boolean => choice === 'replay' || choice === 'live-replay';

const LABELS: Readonly<Record<ForkChoice, string>> = {
  replay: 'Replay',
  'live-replay': 'Replay',
  branch: 'Create the branch',
  retry: 'Retry',
};

/** The values with which a branch goes on, each as it was at that moment. */
function BranchFields({ branch }: { readonly branch: BranchEdits }) {
  const { variables, fault, texts, edits, setText } = branch;
  return (
    <>
      <fieldset className="flex flex-col gap-3 min-w-0 border-t border-line pt-3">
        <legend className="contents">
          <span className="text-sm font-semibold">Values at this moment</span>
        </legend>
        {fault !== null && <ErrorState error={fault} />}
        {fault === null && variables === undefined && <Skeleton rows={3} className="p-0" />}
        {variables !== undefined && (
          <VariableFields variables={variables} texts={texts} edits={edits} onChange={setText} />
        )}
      </fieldset>
      <details className="border-t border-line pt-3">
        <summary className="text-sm font-semibold cursor-pointer min-h-6">Configuration</summary>
        <div className="pt-2">
          <TextAreaField
            label="Configuration as a JSON object"
            rows={6}
            spellCheck={false}
            className="font-mono text-xs"
            hint="Such as limits, budgets or the model of the run. Names that are not here stay as they are."
            error={branch.configurationProblem}
            value={branch.configuration}
            onChange={(event) => branch.setConfiguration(event.target.value)}
          />
        </div>
      </details>
    </>
  );
}

interface ForkRefusalProps {
  readonly error: unknown;
  readonly runId: string;
  /** Makes the fork at the index that the host has named. */
  readonly onUse: (at: number) => void;
  /** The person goes to another run. */
  readonly onLeave: () => void;
}

/** The refusal is at the end of a long form. */
function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}

/** Why the host refused, and the fork that it would make instead. */
function ForkRefusal({ error, runId, onUse, onLeave }: ForkRefusalProps) {
  const better = betterForkIn(error, runId);
  return (
    <div ref={intoView} className="flex flex-col gap-2 items-start scroll-mb-4">
      <ErrorState error={error} />
      {better !== undefined && better.runId === runId && (
        <Button onClick={() => onUse(better.at)}>Begin before event {better.at} instead</Button>
      )}
      {better !== undefined && better.runId !== runId && (
        <Link
          to="/runs/$runId"
          params={{ runId: better.runId }}
          search={{ at: better.at }}
          onClick={onLeave}
          className={buttonClasses()}
        >
          Go to that run, before event {better.at}
        </Link>
      )}
    </div>
  );
}

interface IndexFieldProps {
  readonly text: string;
  /** The number of the last event. */
  readonly last: number;
  readonly choice: ForkChoice;
  readonly onChange: (text: string) => void;
}

/** The event before which the fork begins. */
function IndexField({ text, last, choice, onChange }: IndexFieldProps) {
  const hint =
    choice === 'replay' || choice === 'live-replay'
      ? 'Earlier events are taken over as they are. 0 repeats the whole run.'
      : 'The branch has the events before this one, and goes on from there. 0 starts again from the beginning.';
  return (
    <TextField
      label="Begin before event"
      inputMode="numeric"
      className="max-w-32"
      value={text}
      hint={`${hint} The last event is ${last}.`}
      error={indexIn(text, last) === undefined ? `Enter a whole number from 0 to ${last + 1}.` : undefined}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

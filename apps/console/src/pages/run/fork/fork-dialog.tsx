import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { tell } from '../../../ui/toast.tsx';
import { BranchFields } from './branch-fields.tsx';
import { indexIn } from './edited-variables.ts';
import { madeText, makeFork } from './fork-form.ts';
import { ForkRefusal } from './fork-refusal.tsx';
import { IndexField } from './index-field.tsx';
import { type ForkChoice, ModeChoice } from './mode-choice.tsx';
import { useBranchEdits } from './use-branch-edits.ts';
import { type ForkSource, useForkSource } from './use-fork-source.ts';

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

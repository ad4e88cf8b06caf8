import type { RunSnapshot } from '@baton/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { GitCompare, Pause, Play, RotateCcw, XCircle } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { baton } from '../../../api/baton.ts';
import { hasEnded } from '../../../api/runs/run-row.ts';
import { useMay } from '../../../session/session.ts';
import { StatusBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { shortId } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Ago } from '../../../ui/times.tsx';
import { tell, tellError } from '../../../ui/toast.tsx';
import { forkOf } from './run-query.ts';

type Question = 'cancel' | 'pause' | 'compare';

/** What can be done with the run as a whole. What the role does not allow is not offered. */
export function RunActions({ run }: { readonly run: RunSnapshot }) {
  const may = useMay();
  const [asked, setAsked] = useState<Question>();
  const { retry, resume } = useRunCommands(run.runId);
  const isOpen = !hasEnded(run) && run.status !== 'cancelling';
  const close = (): void => setAsked(undefined);
  const icon = { size: 15, 'aria-hidden': true } as const;
  return (
    <>
      <Button onClick={() => setAsked('compare')} icon={<GitCompare {...icon} />}>
        Compare
      </Button>
      {may('runs:create') && run.status === 'failed' && (
        <Button
          kind="primary"
          busy={retry.isPending}
          onClick={() => retry.mutate()}
          icon={<RotateCcw {...icon} />}
        >
          Retry
        </Button>
      )}
      {may('runs:cancel') && run.status === 'paused' && (
        <Button
          kind="primary"
          busy={resume.isPending}
          onClick={() => resume.mutate()}
          icon={<Play {...icon} />}
        >
          Resume
        </Button>
      )}
      {may('runs:cancel') && isOpen && run.status !== 'paused' && (
        <Button onClick={() => setAsked('pause')} icon={<Pause {...icon} />}>
          Pause
        </Button>
      )}
      {may('runs:cancel') && isOpen && (
        <Button kind="danger" onClick={() => setAsked('cancel')} icon={<XCircle {...icon} />}>
          Cancel
        </Button>
      )}
      <StopDialog runId={run.runId} kind="cancel" open={asked === 'cancel'} onClose={close} />
      <StopDialog runId={run.runId} kind="pause" open={asked === 'pause'} onClose={close} />
      <CompareDialog run={run} open={asked === 'compare'} onClose={close} />
    </>
  );
}

function useRunCommands(runId: string) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const resume = useMutation({
    mutationFn: () => baton.run(runId).resume(),
    onError: tellError,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['run', runId] }),
  });
  const retry = useMutation({
    mutationFn: () => baton.run(runId).retry(),
    onError: tellError,
    onSuccess: async (made) => {
      tell('The retry has begun. It is a run of its own.');
      await navigate({ to: '/runs/$runId', params: { runId: made.runId } });
    },
  });
  return { resume, retry };
}

interface StopDialogProps {
  readonly runId: string;
  readonly kind: 'cancel' | 'pause';
  readonly open: boolean;
  readonly onClose: () => void;
}

const STOP_TEXTS = {
  cancel: {
    title: 'Cancel this run?',
    description:
      'The run and all runs below it are stopped for good. What they have done so far stays in the log.',
    act: 'Cancel the run',
    done: 'The run is being cancelled.',
  },
  pause: {
    title: 'Pause this run?',
    description: 'No further node starts until somebody resumes the run. Nothing is lost.',
    act: 'Pause the run',
    done: 'The run is being paused.',
  },
} as const;

function StopDialog({ runId, kind, open, onClose }: StopDialogProps) {
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const texts = STOP_TEXTS[kind];
  const stop = useMutation({
    mutationFn: () => {
      const given = reason.trim() === '' ? {} : { reason: reason.trim() };
      return kind === 'cancel' ? baton.run(runId).cancel(given) : baton.run(runId).pause(given);
    },
    onError: tellError,
    onSuccess: async () => {
      tell(texts.done);
      onClose();
      await queries.invalidateQueries({ queryKey: ['run', runId] });
    },
  });
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={texts.title}
      description={texts.description}
      actions={
        <>
          <Button kind="quiet" onClick={onClose}>
            Keep it running
          </Button>
          <Button
            kind={kind === 'cancel' ? 'danger' : 'primary'}
            busy={stop.isPending}
            onClick={() => stop.mutate()}
          >
            {texts.act}
          </Button>
        </>
      }
    >
      <TextField
        label="Reason"
        hint="Optional. It is recorded in the log."
        maxLength={1024}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
    </Dialog>
  );
}

interface CompareDialogProps {
  readonly run: RunSnapshot;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Chooses the run with which this one is compared: its source, a run of the same workflow, or any id. */
function CompareDialog({ run, open, onClose }: CompareDialogProps) {
  const navigate = useNavigate();
  const form = useId();
  const [other, setOther] = useState('');
  const fork = forkOf(run);
  const others = useQuery({
    queryKey: ['runs', 'of-workflow', run.workflowId],
    queryFn: ({ signal }) => baton.runs.page({ workflowId: run.workflowId, limit: 6, signal }),
    enabled: open,
  });
  const compare = (event: FormEvent): void => {
    event.preventDefault();
    const otherId = other.trim();
    if (otherId === '') return;
    onClose();
    void navigate({ to: '/compare/$runId/$otherId', params: { runId: run.runId, otherId } });
  };
  const listed = others.data?.runs.filter(({ runId }) => runId !== run.runId && runId !== fork?.sourceRunId);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Compare with another run"
      description="The two logs are shown side by side from the event at which they part."
      actions={
        <Button kind="primary" type="submit" form={form} disabled={other.trim() === ''}>
          Compare
        </Button>
      }
    >
      {fork !== undefined && (
        <Link
          to="/compare/$runId/$otherId"
          params={{ runId: fork.sourceRunId, otherId: run.runId }}
          onClick={onClose}
          className="rounded-md border border-line-strong px-3 py-2 text-sm hover:bg-sunken"
        >
          <span className="font-medium">The run that this one was forked from</span>
          <span className="block font-mono text-xs text-muted">{shortId(fork.sourceRunId, 12)}</span>
        </Link>
      )}
      {listed !== undefined && listed.length > 0 && (
        <section aria-label="Other runs of this workflow" className="flex flex-col">
          <h3 className="mb-1">Other runs of this workflow</h3>
          {listed.map(({ runId, status, createdAt }) => (
            <Link
              key={runId}
              to="/compare/$runId/$otherId"
              params={{ runId: run.runId, otherId: runId }}
              onClick={onClose}
              className="flex items-center gap-3 rounded px-2 py-1.5 text-sm hover:bg-sunken"
            >
              <span className="font-mono text-xs">{shortId(runId)}</span>
              <StatusBadge status={status} />
              <span className="ml-auto text-xs text-muted">
                <Ago at={createdAt} />
              </span>
            </Link>
          ))}
        </section>
      )}
      <form id={form} onSubmit={compare}>
        <TextField
          label="Id of the other run"
          value={other}
          onChange={({ target }) => setOther(target.value)}
          className="font-mono"
        />
      </form>
    </Dialog>
  );
}

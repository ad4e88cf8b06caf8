import type { RunSnapshot } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { baton } from '../../../api/baton.ts';
import { StatusBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { shortId } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Ago } from '../../../ui/times.tsx';
import { forkOf } from './run-query.ts';

interface CompareDialogProps {
  readonly run: RunSnapshot;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Chooses the run with which this one is compared: its source, a run of the same workflow, or any id. */
export function CompareDialog({ run, open, onClose }: CompareDialogProps) {
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

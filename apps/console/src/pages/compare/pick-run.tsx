import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { baton } from '../../api/baton.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { shortId } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Ago } from '../../ui/times.tsx';

interface PickRunProps {
  readonly onPick: (runId: string) => void;
  readonly onClose: () => void;
}

/** Chooses a run by its id or from the newest ones. */
export function PickRun({ onPick, onClose }: PickRunProps) {
  const [text, setText] = useState('');
  const { data, error } = useQuery({
    queryKey: ['runs-to-compare'],
    queryFn: ({ signal }) => baton.runs.page({ limit: 50, signal }),
  });
  const wanted = text.trim();
  const runs = (data?.runs ?? []).filter(
    ({ runId, workflowId }) => runId.startsWith(wanted) || workflowId.includes(wanted),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [only] = runs;
    if (wanted !== '') onPick(runs.length === 1 && only !== undefined ? only.runId : wanted);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Choose a run"
      description="Enter the id of a run, or choose one of the newest."
    >
      <form onSubmit={submit} className="flex items-end gap-2">
        <div className="flex-1">
          <TextField
            label="Id of a run, or part of a workflow"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <Button type="submit" disabled={wanted === ''}>
          Compare
        </Button>
      </form>
      {error !== null && <ErrorState error={error} />}
      {data === undefined && error === null && <Skeleton rows={4} />}
      <ul className="flex flex-col max-h-80 overflow-y-auto">
        {runs.map((run) => (
          <li key={run.runId}>
            <button
              type="button"
              onClick={() => onPick(run.runId)}
              className="w-full text-left rounded-md px-2 py-2 hover:bg-sunken flex flex-wrap items-center gap-x-3 gap-y-1 min-w-0"
            >
              <bdi className="text-sm font-medium truncate">{run.workflowId}</bdi>
              <StatusBadge status={run.status} />
              <span className="text-xs text-muted font-mono">{shortId(run.runId)}</span>
              <span className="text-xs text-muted ml-auto">
                <Ago at={run.createdAt} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

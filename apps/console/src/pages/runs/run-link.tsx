import { Link } from '@tanstack/react-router';
import { hasEnded, type RunRow } from '../../api/runs/run-row.ts';
import { classes } from '../../ui/class-names.ts';
import { shortId } from '../../ui/copy.tsx';

interface RunLinkProps {
  readonly run: RunRow;
  /** Only one run of a list is in the tab order; the arrow keys reach the others. */
  readonly reachable: boolean;
  readonly onFocus: () => void;
}

/** The name of a run. The link covers the whole row, so that a click anywhere opens the run. */
export function RunLink({ run, reachable, onFocus }: RunLinkProps) {
  return (
    <Link
      to="/runs/$runId"
      params={{ runId: run.runId }}
      data-run={run.runId}
      tabIndex={reachable ? 0 : -1}
      onFocus={onFocus}
      preload={false}
      className={classes(
        'block min-w-0 after:absolute after:inset-0 outline-none',
        'focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2',
      )}
    >
      <span className={classes('block truncate', !hasEnded(run) && 'font-medium')}>
        <bdi>{run.workflowId}</bdi>
      </span>
      <span className="block font-mono text-xs text-muted truncate">{shortId(run.runId, 13)}</span>
    </Link>
  );
}

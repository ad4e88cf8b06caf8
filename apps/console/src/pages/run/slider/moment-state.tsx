import { useAtMoment, useIsLive, useRunViews } from '../follow/run-context.tsx';
import { sequenceAt } from '../model/at.ts';
import { StatePanel, useResting } from '../state/state-panel.tsx';

/** The host is asked for the state when the moment has not moved for this long. */
const PAUSE_MS = 180;

/** The state of the run to whose log the event of the moment belongs, after that event. */
export function MomentState() {
  const { store } = useRunViews();
  const isLive = useIsLive();
  const runId = useAtMoment((tree, position) =>
    isLive ? tree.rootId : (tree.entries[position]?.event.runId ?? tree.rootId),
  );
  const sequence = useAtMoment((tree, position) => {
    const run = tree.runs.get(runId);
    return run === undefined ? undefined : sequenceAt(run, position);
  });
  const settled = useResting(sequence === undefined ? runId : `${runId} ${sequence}`, PAUSE_MS);
  const [settledRun = store.tree.rootId, at] = settled.split(' ');
  return <StatePanel runId={settledRun} at={at === undefined ? undefined : Number(at)} />;
}

import type { RunEvent } from '@baton/protocol';
import { evolve } from '../kernel/fold/evolve.ts';
import { adopt } from '../kernel/fold/evolve-fork.ts';
import type { Run } from '../kernel/run.ts';
import type { Tree, WorkingRun } from '../kernel/working-run.ts';
import { endedSpans } from './ended-spans.ts';
import { type EndedSpan, traceOf } from './span.ts';

/**
 * The spans that end with the new events of a tree. The start of a span may be in an earlier slice, before a
 * restart too: the state of a run says when the parts began that have not ended. So the new events are folded
 * once more, from the stored state, and nothing else is read or kept. This is done only where spans are exported.
 *
 * Replays have no spans, because what they repeat did not happen. A caller that does not sample its trace wants
 * none.
 */
export function spansOfTree(tree: Tree): readonly EndedSpan[] {
  const spans: EndedSpan[] = [];
  const childOf = (runId: string) => tree.runs.get(runId)?.run;
  for (const working of tree.runs.values()) {
    const { run, texts } = working;
    if (texts.length === 0 || run.fork?.mode === 'replay' || !traceOf(run).sampled) continue;
    addSpans(spans, working, childOf);
  }
  return spans;
}

function addSpans(
  spans: EndedSpan[],
  { base, inherited, point, texts }: WorkingRun,
  childOf: (runId: string) => Run | undefined,
): void {
  let run = base ?? inherited;
  const failed = new Set<string>();
  for (const text of texts) {
    const event = JSON.parse(text) as RunEvent;
    const at = Date.parse(event.timestamp);
    const folded = evolve(run, event, at);
    const after = run === undefined && point ? adopt(folded, point) : folded;
    if (run !== undefined) spans.push(...endedSpans({ run, after, event, at, childOf, failed }));
    run = after;
  }
}

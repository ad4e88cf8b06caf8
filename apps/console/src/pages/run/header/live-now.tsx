import { LookBadge } from '../../../ui/badge.tsx';
import { useIsLive, useRunViews, useTree } from '../follow/run-context.tsx';
import type { Span, Tree } from '../model/tree.ts';

const MOST_SHOWN = 4;

interface UnderWay {
  readonly key: string;
  readonly who: string;
  readonly what: string;
  readonly text?: string;
}

/** What agents do right now: the texts that they write and the tools that they call. */
export function LiveNow() {
  const { store } = useRunViews();
  const { tree } = useTree();
  const isLive = useIsLive();
  if (!isLive) return null;
  const texts = store.texts.all().map(({ runId, nodeId, end, parts }): UnderWay => {
    const lane = tree.runs.get(runId);
    return {
      key: `${runId}|${nodeId}`,
      who: lane?.lane.name ?? nodeId,
      what: `writes, ${parts} parts so far`,
      text: end,
    };
  });
  const calls = openCalls(tree);
  const all = [...texts, ...calls];
  if (all.length === 0) return null;
  return (
    <section
      aria-label="Right now"
      className="flex flex-col gap-2 bg-surface border border-line rounded-lg p-3"
    >
      {all.slice(0, MOST_SHOWN).map(({ key, who, what, text }) => (
        <div key={key} className="flex flex-col gap-1 min-w-0">
          <p className="text-sm flex items-center gap-2 min-w-0">
            <LookBadge look="running">Working</LookBadge>
            <bdi className="font-medium truncate">{who}</bdi>
            <span className="text-muted truncate">{what}</span>
          </p>
          {text !== undefined && (
            <p className="text-xs text-muted font-mono line-clamp-3 break-words">
              <bdi>…{text.slice(-240)}</bdi>
            </p>
          )}
        </div>
      ))}
      {all.length > MOST_SHOWN && (
        <p className="text-xs text-muted">{all.length - MOST_SHOWN} more agents work at the same time.</p>
      )}
    </section>
  );
}

/** Calls of models and tools that have not returned. */
function openCalls(tree: Tree): readonly UnderWay[] {
  const calls: UnderWay[] = [];
  for (const key of tree.underWay) {
    const span: Span | undefined = tree.open.get(key);
    const entry = span === undefined ? undefined : tree.entries[span.from];
    if (span === undefined || entry === undefined) continue;
    calls.push({
      key: `call ${key}`,
      who: entry.lane.name,
      what: CALLS[span.text] ?? `performs ${span.text}`,
    });
    if (calls.length > MOST_SHOWN) break;
  }
  return calls;
}

const CALLS: Readonly<Record<string, string>> = {
  'model.call': 'asks a model',
  'tool.call': 'calls a tool',
  'agent.prepare': 'prepares the agent',
};

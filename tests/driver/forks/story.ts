import { isTerminal, type Json, type RunStatus } from '@baton/protocol';
import { answer, start } from '../forking.ts';
import { type Bench, type BenchOptions, CALLER, handClock, startTestEngine } from '../test-engine.ts';

/** What happens to a run that is then forked everywhere. */

type Config = Record<string, unknown>;

export interface Story {
  /** The first of them is run. */
  readonly workflows: readonly Config[];
  /** What the run is started with. */
  readonly begins?: Config;
  readonly host?: BenchOptions;
  /** What each node is answered; an answer is an approval where nothing is said. */
  readonly answers?: Readonly<Record<string, Json>>;
  /** What was there before the run began, and what happens beside it once it has ended. */
  readonly before?: (life: Life) => Promise<unknown>;
  readonly behind?: (life: Life) => Promise<unknown>;
  /** What happens from outside. Otherwise people answer whatever is asked, and time passes. */
  readonly live?: (life: Life, runId: string) => Promise<unknown>;
  /** Goes on with what `live` left, and answers with the run that is to be forked if it is another one. */
  readonly continued?: (life: Life, runId: string) => Promise<string>;
  readonly ends?: RunStatus;
  /** Words in the logs of the tree, without which the story would not be about what it is called. */
  readonly shows?: readonly string[];
  /** What lies between the start of a node and the next event about it. */
  readonly inBetween?: readonly [nodeId: string, types: readonly string[]];
  /** What is different on the host on which the run is replayed. */
  readonly later?: (top: Bench) => Promise<unknown>;
  readonly laterHost?: BenchOptions;
  /** Why its branches do not do the same once more. They end all the same. */
  readonly otherBranches?: string;
}

/** By name. An id of a requirement at the beginning of a name is proven by the story. */
export type Stories = Readonly<Record<string, () => Story>>;

export interface Life {
  top: Bench;
  readonly time: ReturnType<typeof handClock>;
}

const SECOND = 1000;
/** Longer than the longest story. */
const PATIENCE = 200;

/** A host whose effects answer with the time, so that each of them has another outcome than the one before. */
export async function beginLife({ host, workflows }: Story): Promise<Life> {
  const time = handClock();
  const { clock } = time;
  const perform = async () =>
    ({ kind: 'done', outputs: { at: new Date(clock.now()).toISOString() } }) as const;
  const top = await startTestEngine({ clock, perform, ...host });
  await top.register(...workflows);
  return { top, time };
}

/** Makes the run of the story, and answers with the id of the run that is to be forked. */
export async function liveThrough(
  story: Story,
  life: Life,
  onRest: (life: Life, runId: string) => Promise<void> = async () => {},
): Promise<string> {
  await story.before?.(life);
  const runId = await start(life.top, String(story.workflows[0]?.id), story.begins);
  if (story.live) await story.live(life, runId);
  else await liveOn(story, life, runId, () => onRest(life, runId));
  const source = (await story.continued?.(life, runId)) ?? runId;
  await story.behind?.(life);
  return source;
}

/** Answers whatever is asked, and lets time pass where nothing is, until the whole tree has ended. */
export async function liveOn(
  { answers = {} }: Pick<Story, 'answers'>,
  { top, time }: Life,
  runId: string,
  onRest: () => Promise<void> = async () => {},
): Promise<void> {
  for (let turn = 0; turn < PATIENCE; turn += 1) {
    const open = (await top.reads.interrupts(CALLER.tenant, 100)).items
      .filter(({ rootId, nodeId }) => rootId === runId && answers[nodeId] !== null)
      .sort((one, other) => (`${one.runId} ${one.nodeId}` < `${other.runId} ${other.nodeId}` ? -1 : 1))
      .at(-1);
    const status = await top.status(runId);
    if (open === undefined && status !== undefined && isTerminal(status)) return;
    if (turn < 4) await onRest();
    if (open) await answer(top, open.runId, open.nodeId, answers[open.nodeId]);
    else await time.move(SECOND);
  }
  throw new Error(`${runId} does not end: ${await top.status(runId)}`);
}

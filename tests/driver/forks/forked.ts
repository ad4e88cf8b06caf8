import { stateAt } from '@baton/engine';
import { expect } from 'vitest';
import { logOf, treeOf } from '../forking.ts';
import { type Bench, CALLER } from '../test-engine.ts';
import { AGAIN, CHANGED, SEALED } from './changed.ts';
import { INTERLEAVED } from './interleaved.ts';
import { ORDINARY } from './ordinary.ts';
import { STOPPED } from './stopped.ts';
import { beginLife, type Life, liveThrough, type Story } from './story.ts';

/** The stories that are forked everywhere, and what is compared of them. */

export const STORIES = Object.entries({
  ...ORDINARY,
  ...STOPPED,
  ...SEALED,
  ...CHANGED,
  ...AGAIN,
  ...INTERLEAVED,
});
export const DAY = 86_400_000;

/** The indices at which a step begins, and so a fork. */
export async function cutsOf(top: Bench, runId: string): Promise<readonly number[]> {
  const placed = await top.store.placedEvents(runId, 0, 1_000_000);
  return placed.flatMap(({ starts }, index) => (starts ? [index] : []));
}

/** All that there is of runs: their logs, and what they remember at the end. */
export const allOf = (top: Bench, runs: readonly string[]) =>
  Promise.all(
    runs.map(async (runId) => {
      const log = await logOf(top, runId);
      return { log, state: await stateAt(top.reads, { tenant: CALLER.tenant, runId }, log.length) };
    }),
  );
export const forkOf = async (top: Bench, runId: string) => (await top.reads.run(CALLER.tenant, runId))?.fork;

/** The runs that a fork comes from, in whose words its log begins. */
async function originsOf(top: Bench, runId: string): Promise<readonly string[]> {
  const source = (await forkOf(top, runId))?.sourceRunId;
  return source === undefined ? [] : [source, ...(await originsOf(top, source))];
}

/** The run lives, and is what it is called. */
export async function lived(story: Story, onRest?: (life: Life, runId: string) => Promise<void>) {
  const life = await beginLife(story);
  const source = await liveThrough(story, life, onRest);
  const { top } = life;
  expect(await top.status(source)).toBe(story.ends ?? 'completed');
  const words = (await allOf(top, await treeOf(top, source))).flatMap(({ log }) => log).join('\n');
  expect((story.shows ?? []).filter((shown) => !words.includes(shown))).toEqual([]);
  if (story.inBetween) expect(await between(top, source, story.inBetween[0])).toEqual(story.inBetween[1]);
  return { life, source, names: await originsOf(top, source) };
}

async function between(top: Bench, runId: string, nodeId: string): Promise<readonly string[]> {
  const events = await top.events(runId);
  const at = 1 + events.findIndex((event) => event.type === 'node.started' && event.nodeId === nodeId);
  const end = events.findIndex((event, index) => index >= at && event.nodeId === nodeId);
  return events.slice(at, end).map(({ type }) => type);
}

import { stateAt } from '@baton/engine';
import type { RunEvent } from '@baton/protocol';
import { expect, it } from 'vitest';
import { idsIn, verifies } from '../../verifies.ts';
import { expectSameFrom, fork, treeOf } from '../forking.ts';
import { type Bench, CALLER } from '../test-engine.ts';
import { allOf, cutsOf, DAY, forkOf, lived, STORIES } from './forked.ts';
import { type Life, liveOn, type Story } from './story.ts';

/**
 * Every story is branched off at every index at which a step of its log begins, a day later and after a restart. A
 * branch lives through the rest of the story once more, so it records the same facts again, as long after its creation
 * as its source did after the cut. Its replay is the branch once more, and a branch of it lives on in the same way.
 */

/** What is of the place where a fact was recorded: indices, scopes of memory, and checksums of names. */
const OF_THE_PLACE = new Set([
  ...['transcript', 'memoryBase', 'memoryRef', 'version', 'from', 'upTo', 'below', 'checksum', 'createdAt'],
]);

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const rest = Object.entries(value).filter(([key]) => !OF_THE_PLACE.has(key));
  return Object.fromEntries(rest.sort(([one], [other]) => (one < other ? -1 : 1)));
}

const nameless = (text: string, names: readonly string[]) =>
  names.reduce((words, name) => words.replaceAll(name, 'X'), text);

/** What an event says, with times relative to the cut. */
function saying({ type, nodeId, payload, timestamp }: RunEvent, zero: number, names: readonly string[]) {
  return nameless(JSON.stringify({ type, nodeId, timestamp, payload }, inOrder), names)
    .replace(/(X[.\d]*):\d+/g, '$1:#')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => `${Date.parse(time) - zero} ms`);
}

/** The state of a run, with what is still to come relative to the cut. What has happened keeps its time. */
async function stateOf(top: Bench, runId: string, at: number, zero: number, names: readonly string[]) {
  const state = await stateAt(top.reads, { tenant: CALLER.tenant, runId }, at);
  const { variables, channels, iteration, nodeStates = {}, status } = state ?? {};
  const left = (key: string, value: unknown) =>
    ['expiresAt', 'retryAt', 'until'].includes(key) ? Date.parse(String(value)) - zero : value;
  const nodes = Object.entries(nodeStates).map(([id, { outputs, ...rest }]) => [
    [id, outputs],
    JSON.parse(JSON.stringify(rest, left)),
  ]);
  const entries = JSON.parse(JSON.stringify(state?.memory.entries, left));
  return nameless(JSON.stringify({ variables, channels, iteration, status, nodes, entries }), names);
}

interface Branching {
  readonly story: Story;
  readonly life: Life;
  readonly source: string;
  readonly origins: readonly string[];
  /** The run whose log goes on like that of the branch. The times of a fork jump where it left its source. */
  readonly like?: string;
}

/** Branches off, lets the branch live through what is left of the story, and answers with its id. */
async function branchOff(
  { story, life, source, origins, like = source }: Branching,
  asked: number,
): Promise<string> {
  const { top, time } = life;
  const events = await top.events(source);
  const performed = top.performed.length;
  const createdAt = time.clock.now();
  const branch = await fork(top, source, { mode: 'branch', fromSeq: asked });
  const names = [branch, source, ...origins];
  const cut = (await forkOf(top, branch))?.fromSeq ?? -1;
  const retries = await Promise.all([source, ...origins].map((runId) => forkOf(top, runId)));
  // No branch begins in the middle of a step that was tried again.
  if (!retries.some((fork) => fork?.fromSeq === asked)) expect(cut).toBe(asked);
  const isBeginning = cut === 0 || cut === (await forkOf(top, source))?.fromSeq;
  const cutAt = Date.parse(events[isBeginning ? cut : cut - 1]?.timestamp ?? '');
  if (cut > 0) {
    expect((await top.events(branch)).slice(0, cut)).toEqual(events.slice(0, cut));
    expect((await top.events(branch))[cut]).toMatchObject({ type: 'baton.run.branched', runId: branch });
    expect(await stateOf(top, branch, cut, createdAt, names)).toBe(
      await stateOf(top, source, cut, cutAt, names),
    );
  }
  await liveOn(story, life, branch);
  expect(top.performed.slice(performed).filter(({ runId }) => !runId.startsWith(branch))).toEqual([]);
  if (story.otherBranches) return branch;
  let outcomes = 0;
  for (const runId of await treeOf(top, branch)) {
    const told = await top.events(runId);
    const from = told.findIndex((event) => event.runId === runId);
    // A child that had ended is shared, and no fork of it is made.
    expect(from).not.toBe(-1);
    const facts = (log: readonly RunEvent[], zero: number) =>
      log
        .slice(from)
        .flatMap((event) => (event.type === 'baton.run.branched' ? [] : [saying(event, zero, names)]));
    const original = await top.events(like + runId.slice(branch.length));
    expect(facts(told, createdAt), `from ${cut}: ${runId}`).toEqual(facts(original, cutAt));
    outcomes += told.slice(from).filter(({ type }) => OUTCOMES.includes(type)).length;
  }
  // It does for real what it did not inherit.
  expect(top.performed.length - performed).toBeGreaterThanOrEqual(outcomes);
  return branch;
}

const OUTCOMES: readonly string[] = ['baton.effect.settled', 'baton.effect.retried'];

it.each(STORIES)('a branch is its source up to the cut, and lives on from there: %s', async (name, told) => {
  verifies('REPLAY-12', 'MEM-09', 'MEM-10', 'MEM-17', 'READ-18', 'READ-31', 'READ-36', 'READ-37');
  verifies(...idsIn(name));
  const story = told();
  const { life, source, names } = await lived(story);
  await life.time.move(DAY);
  life.top = await life.top.crash();
  const { top } = life;
  const tree = await treeOf(top, source);
  const before = await allOf(top, tree);
  const cuts = await cutsOf(top, source);
  const branching = { story, life, source, origins: names };
  const branches: string[] = [];
  for (const cut of cuts) {
    const branch = await branchOff(branching, cut);
    await expectSameFrom(top, branch, [cut], [source, ...names]);
    branches.push(branch);
  }
  const middle = branches[branches.length >> 1] ?? '';
  const own = (await forkOf(top, middle))?.fromSeq ?? 0;
  for (const cut of new Set([cuts[1] ?? 0, own, (await cutsOf(top, middle)).at(-1) ?? 0])) {
    const like = cut < own ? source : middle;
    await branchOff({ story, life, source: middle, origins: [source, ...names], like }, cut);
  }
  const { length } = await top.events(source);
  const body = { mode: 'branch', fromSeq: length } as const;
  expect(await top.execute({ kind: 'fork-run', caller: CALLER, runId: source, body })).toMatchObject({
    error: {
      error: 'fork_point_not_found',
      details: { fromSeq: length, runStatus: await top.status(source), newestFromSeq: cuts.at(-1) },
    },
  });
  expect(await allOf(top, tree)).toEqual(before);
});

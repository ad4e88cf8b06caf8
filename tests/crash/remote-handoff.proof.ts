import { childRunId, type RunEvent } from '@baton/protocol';
import { afterAll, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { checkLogs } from '../reference/check-logs.ts';
import { CARD_READER, type HeldExchange, heldExchange, type Moment } from './held-exchange.ts';
import { SIDES, type Side, type TwoProcesses, twoProcesses } from './two-processes.ts';

/**
 * Work that host a hands to host b, where a person is asked, and whose result a person of host a has to approve.
 * Each host is killed without warning at each event of the exchange, of which there is one run for each. The runs
 * of one host share the kill.
 */

/** The requests of the exchange in their order, and the answers of the two persons. */
const MOMENTS: readonly (Moment | 'accept' | 'approve')[] = [
  { of: 'card', held: 'request' },
  { of: 'card', held: 'answer' },
  { of: 'SendMessage', held: 'request' },
  { of: 'SendMessage', held: 'answer' },
  { of: 'GetTask', held: 'request' },
  { of: 'GetTask', held: 'answer' },
  { of: 'report', held: 'request', state: 'INPUT_REQUIRED' },
  { of: 'report', held: 'answer', state: 'INPUT_REQUIRED' },
  'accept',
  { of: 'report', held: 'request', state: 'COMPLETED' },
  { of: 'report', held: 'answer', state: 'COMPLETED' },
  { of: 'GetTask', held: 'answer', state: 'COMPLETED' },
  'approve',
];

let hosts: TwoProcesses;
let exchange: HeldExchange;
afterAll(() => hosts?.stop());

interface Killed {
  readonly runId: string;
  readonly where: string;
}

/** The last events of the three logs, with their numbers, at all places where the logs rest before the last answer. */
const PLACES = {
  parent: new Set(['5 core.workflowChain.event dispatch.succeeded', '9 node.suspended']),
  child: new Set(['3', '6', '9'].map((number) => `${number} baton.effect.intended`)).add('16 run.completed'),
  remote: new Set(['0', '4 node.suspended', '10 run.completed']),
};
const parentOnA = new Map<string, string>();

async function begin(): Promise<string> {
  const response = await hosts.send('a', 'POST', '/v1/runs', { workflowId: 'gated-ask' });
  expect(response.status).toBe(201);
  return ((await response.json()) as { runId: string }).runId;
}

const statusOf = async (side: Side, runId: string) =>
  (await hosts.read<{ status: string }>(side, `/v1/runs/${runId}`)).status;

async function reaches(side: Side, runId: string, ...statuses: readonly string[]): Promise<string> {
  return eventually(async () => {
    const status = await statusOf(side, runId);
    expect(statuses, runId).toContain(status);
    return status;
  });
}

/** The run on host b, if host b has begun it. */
async function findRemote(runId: string): Promise<string | undefined> {
  const { runs } = await hosts.read<{ runs: { runId: string }[] }>('b', '/v1/runs?limit=200');
  for (const { runId: remoteId } of runs) {
    if ((await parentOf(remoteId)) === childRunId(runId, 1)) return remoteId;
  }
  return undefined;
}

async function remoteOf(runId: string): Promise<string> {
  return eventually(async () => {
    const remoteId = await findRemote(runId);
    if (remoteId === undefined) throw new Error(`host b has no run for ${runId}`);
    return remoteId;
  });
}

async function parentOf(remoteId: string): Promise<string> {
  const known = parentOnA.get(remoteId);
  if (known !== undefined) return known;
  const { parent } = await hosts.read<{ parent: { runId: string } }>('b', `/v1/runs/${remoteId}/ancestry`);
  parentOnA.set(remoteId, parent.runId);
  return parent.runId;
}

function answer(side: Side, runId: string, interrupt: string): Promise<Response> {
  const body = { resumeValue: { action: 'accept' } };
  return hosts.send(side, 'POST', `/v1/runs/${runId}/interrupts/${interrupt}`, body);
}

/** The person of host b accepts. */
async function accept(runId: string): Promise<Response> {
  const remoteId = await remoteOf(runId);
  await reaches('b', remoteId, 'waiting-approval');
  return answer('b', remoteId, 'gate');
}

/** Brings a run to the moment, and returns what is to be done at the moment itself. */
async function bringTo(moment: Moment | 'accept' | 'approve', runId: string): Promise<() => unknown> {
  const child = childRunId(runId, 1);
  if (moment === 'accept') {
    exchange.pass(child);
    const remoteId = await remoteOf(runId);
    await reaches('b', remoteId, 'waiting-approval');
    return () => answer('b', remoteId, 'gate').catch(() => undefined);
  }
  if (moment === 'approve') {
    exchange.pass(child);
    await accept(runId);
    await reaches('a', runId, 'waiting-approval');
    return () => answer('a', runId, 'hand').catch(() => undefined);
  }
  const held = exchange.hold(child, moment);
  if (moment.state === 'COMPLETED') expect((await accept(runId)).status).toBe(200);
  await held;
  return () => undefined;
}

/** Kills a host when one run is at each of the moments. */
async function killAtEach(side: Side): Promise<readonly Killed[]> {
  const killed: Killed[] = [];
  const acts: Promise<() => unknown>[] = [];
  for (const moment of MOMENTS) {
    const isCard = typeof moment === 'object' && moment.of === 'card';
    const held = isCard ? exchange.hold(CARD_READER, moment) : undefined;
    const runId = await begin();
    killed.push({ runId, where: `host ${side} killed at ${JSON.stringify(moment)}` });
    if (held === undefined) acts.push(bringTo(moment, runId));
    else {
      exchange.pass(childRunId(runId, 1));
      await held;
    }
  }
  const ready = await Promise.all(acts);
  expect(await placesOf(killed.map(({ runId }) => runId))).toEqual(PLACES);
  for (const act of ready) void act();
  await restart(side);
  return killed;
}

async function placesOf(runs: readonly string[]): Promise<typeof PLACES> {
  const places = { parent: new Set<string>(), child: new Set<string>(), remote: new Set<string>() };
  for (const runId of runs) {
    const { parent, child, remote } = await storiesOf(runId);
    places.parent.add(placeIn(parent));
    places.child.add(placeIn(child));
    places.remote.add(placeIn(remote));
  }
  return places;
}

const placeIn = (told: readonly string[]) => `${told.length} ${told.at(-1) ?? ''}`.trim();

async function restart(side: Side): Promise<void> {
  await hosts.end(side, 'SIGKILL');
  await hosts.start(side);
  exchange.release();
}

/** Ends a run: an answer that was on its way when a host was killed either counted or did not. */
async function finish(runId: string): Promise<void> {
  const remoteId = await remoteOf(runId);
  if ((await reaches('b', remoteId, 'waiting-approval', 'completed')) !== 'completed') {
    await answer('b', remoteId, 'gate');
  }
  if ((await reaches('a', runId, 'waiting-approval', 'completed')) !== 'completed') {
    await answer('a', runId, 'hand');
  }
  await reaches('a', runId, 'completed');
}

/** The events without those that say that a host was asked once more: their number depends on the time. */
function story(events: readonly RunEvent[]): readonly string[] {
  return events
    .filter(({ type }) => type !== 'baton.effect.retried')
    .map(({ type, payload }) => (type === 'core.workflowChain.event' ? `${type} ${payload.phase}` : type));
}

async function storiesOf(runId: string) {
  const remoteId = await findRemote(runId);
  return {
    parent: story(await hosts.eventsOf('a', runId)),
    child: story(await hosts.eventsOf('a', childRunId(runId, 1))),
    remote: remoteId === undefined ? [] : story(await hosts.eventsOf('b', remoteId)),
  };
}

it('ends as it would have, with one run on the other host', { timeout: 240_000 }, async () => {
  hosts = await twoProcesses(['ask', 'gated-ask']);
  exchange = heldExchange(hosts.links.a, hosts.links.b);

  const killed = [...(await killAtEach('b'))];
  await Promise.all(killed.map(({ runId }) => finish(runId)));
  // A host reads the card of its peer once a minute. A new process reads it again.
  await restart('a');
  killed.push(...(await killAtEach('a')));
  await Promise.all(killed.map(({ runId }) => finish(runId)));

  const undisturbed = await begin();
  exchange.pass(childRunId(undisturbed, 1));
  await finish(undisturbed);
  const expected = await storiesOf(undisturbed);
  for (const { runId, where } of killed) {
    expect(await hosts.read('a', `/v1/runs/${runId}`), where).toMatchObject({
      variables: { report: 'Shipped.' },
    });
    expect(await storiesOf(runId), where).toEqual(expected);
    expect(await hosts.read('a', `/v1/runs/${runId}/attestations`), where).toMatchObject({
      allMatch: true,
      attestations: [{ merged: true, remote: { hostId: 'host-b', signature: 'valid', matches: true } }],
    });
  }
  const { runs } = await hosts.read<{ runs: { runId: string }[] }>('b', '/v1/runs?limit=200');
  const parents = await Promise.all(runs.map((run) => parentOf(run.runId)));
  const children = [...killed.map(({ runId }) => runId), undisturbed].map((runId) => childRunId(runId, 1));
  expect(parents.toSorted()).toEqual(children.toSorted());
  for (const side of SIDES) {
    expect(await hosts.read(side, '/v1/audit/verify')).toMatchObject({ ok: true });
    expect(await hosts.end(side, 'SIGTERM')).toBe(0);
    checkLogs(hosts.dataOf(side));
  }
});

import { type RunEvent, SCOPES, type SuspendRequest } from '@baton/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, startTestHost, type TestHost } from '../http/host.ts';
import { SEED } from '../proof.ts';
import { answerTo } from './random-answers.ts';
import { type Dice, diceOf, seedOf } from './random-choice.ts';
import { familyOf } from './workflow-generator.ts';

/**
 * The same random workflows over HTTP, on real hosts with a real clock: no answer is a failure of the host, and
 * replays do the same. BATON_FUZZ_SEED and BATON_FUZZ_ONLY as beside this.
 */

const COUNT = Number(process.env.BATON_FUZZ_HTTP_WORKFLOWS ?? 20);
const ONLY = process.env.BATON_FUZZ_ONLY;
const WAIT = 20;

const numbers = ONLY === undefined ? Array.from({ length: COUNT }, (_, number) => number) : [Number(ONLY)];
const keyOf = (number: number) => `operator-${number}`;

let here: TestHost;
beforeAll(async () => {
  const keys = numbers.map((number) => ({
    token: keyOf(number),
    tenant: `t${number}`,
    scopes: SCOPES,
    roles: ['operator'],
  }));
  here = await startTestHost({ builtinWorkflows: [] }, keys);
});
afterAll(() => here.stop());

/** One host as one tenant sees it. No answer may be a failure of the host. */
interface Client {
  get(path: string): Promise<Answer['body']>;
  post(path: string, body: unknown): Promise<Answer>;
}

function clientOf(host: TestHost, key: string): Client {
  const checked = (what: string, answer: Answer): Answer => {
    if (answer.status >= 500) throw new Error(`${what}: ${answer.status} ${answer.text}`);
    return answer;
  };
  return {
    get: async (path) => checked(path, await host.get(path, { key })).body,
    post: async (path, body) => checked(path, await host.post(path, body, { key })),
  };
}

const ENDED = ['completed', 'failed', 'cancelled'];
const eventsOf = async (client: Client, runId: string): Promise<readonly RunEvent[]> =>
  (await client.get(`/v1/runs/${runId}/events`)).events;

interface Listed {
  readonly runId: string;
  readonly status: string;
}

async function treeOf(client: Client, runId: string): Promise<readonly Listed[]> {
  const { runId: id, status } = await client.get(`/v1/runs/${runId}`);
  const { runs } = await client.get(`/v1/runs?parentRunId=${runId}&limit=200`);
  const below = await Promise.all(runs.map((run: Listed) => treeOf(client, run.runId)));
  return [{ runId: id, status }, ...below.flat()];
}

async function endOf(client: Client, runId: string): Promise<void> {
  for (let last = -1, complete = false; !complete; ) {
    const answer = await client.get(`/v1/runs/${runId}/events/poll?lastSequence=${last}&timeout=20`);
    last = answer.events.at(-1)?.sequence ?? last;
    complete = answer.isComplete;
  }
}

/** Answers whatever is asked until everything has ended, or until it has lasted long enough. */
async function live(client: Client, dice: Dice, runId: string): Promise<void> {
  for (let left = dice.between(5, 25); left > 0; left -= 1) {
    if ((await treeOf(client, runId)).every(({ status }) => ENDED.includes(status))) return;
    for (const { runId: asking, nodeId, interruptId } of (await client.get('/v1/interrupts')).interrupts) {
      const request = (await eventsOf(client, asking)).find(
        (event) => event.type === 'interrupt.requested' && event.payload.key === interruptId,
      )?.payload as SuspendRequest | undefined;
      if (request === undefined) continue;
      const { value } = answerTo(dice, { request });
      await client.post(`/v1/runs/${asking}/interrupts/${nodeId}`, { resumeValue: value });
    }
    await client.get(`/v1/runs/${runId}/events/poll?lastSequence=1000000&timeout=0`);
  }
  for (const { runId: id } of await treeOf(client, runId)) await client.post(`/v1/runs/${id}/cancel`, {});
}

/** The events of every run of the tree, by what comes behind the name of its root. */
async function logsOf(
  client: Client,
  root: string,
  source: string,
): Promise<Record<string, readonly string[]>> {
  const logs: Record<string, readonly string[]> = {};
  for (const { runId } of await treeOf(client, root)) {
    const events = await eventsOf(client, runId);
    logs[runId.slice(root.length)] = events.map((event) =>
      JSON.stringify(event).replaceAll(root, 'X').replaceAll(source, 'X'),
    );
  }
  return logs;
}

async function checkReplay(client: Client, runId: string): Promise<void> {
  const answer = await client.post(`/v1/runs/${runId}:fork`, { mode: 'replay' });
  expect(answer.status, answer.text).toBe(201);
  const twin = answer.body.runId;
  const wasCancelled = (await client.get(`/v1/runs/${runId}`)).status === 'cancelled';
  if (wasCancelled) await client.post(`/v1/runs/${twin}/cancel`, {});
  await endOf(client, twin);
  const logs = await logsOf(client, twin, runId);
  const partings = Object.values(logs)
    .flat()
    .filter((text) => text.includes('"type":"replay.diverged'));
  expect(partings).toEqual([]);
  if (!wasCancelled) expect(logs).toEqual(await logsOf(client, runId, twin));
}

describe(`random workflows of seed ${SEED}, over HTTP`, () => {
  it.each(numbers)('BATON_FUZZ_ONLY=%d', async (number) => {
    const dice = diceOf(seedOf(SEED, number));
    const family = familyOf(dice, { wait: WAIT });
    const client = clientOf(here, keyOf(number));
    for (const definition of family.definitions) {
      const answer = await client.post('/v1/workflows', definition);
      expect(answer.status, answer.text).toBe(201);
    }
    const { root: workflowId, inputs, configurable } = family;
    const answer = await client.post('/v1/runs', { workflowId, inputs, configurable });
    expect(answer.status, answer.text).toBe(201);
    const { runId } = answer.body;
    await live(client, dice, runId);
    for (const { runId: id } of await treeOf(client, runId)) await endOf(client, id);
    await checkReplay(client, runId);
    const verdict = await client.get(`/v1/audit/verify?runId=${runId}`);
    expect(verdict.findings).toEqual([]);
  });
});

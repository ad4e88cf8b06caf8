import { afterAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES } from '../http/host.ts';
import { startExampleHost } from './example-host.ts';

/** The examples with agents, on a real host with the scripted provider, answered over HTTP. */

const ADA = 'key-of-ada-who-approves';

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
type Any = any;
const host = await startExampleHost([{ token: ADA, tenant: 'default', scopes: ALL_SCOPES }]);
afterAll(() => host?.stop());

async function start(workflowId: string, inputs: object = {}): Promise<string> {
  return (await host.run(workflowId, { inputs })).body.runId;
}

/** The open question of a run that is not `before`. */
async function question(runId: string, before?: Any): Promise<Any> {
  let found: Any;
  await expect
    .poll(async () => {
      const { interrupts } = (await host.get('/v1/interrupts')).body;
      found = interrupts.find((one: Any) => one.runId === runId && one.interruptId !== before?.interruptId);
      return found;
    })
    .toBeDefined();
  return found;
}

async function answer(asked: Any, resumeValue: object, key?: string): Promise<void> {
  const path = `/v1/runs/${asked.runId}/interrupts/${asked.nodeId}`;
  expect((await host.post(path, { resumeValue }, key === undefined ? {} : { key })).status).toBe(200);
}

async function finished(runId: string): Promise<Any> {
  let run: Any;
  const status = async () => {
    run = (await host.get(`/v1/runs/${runId}`)).body;
    return run.status;
  };
  await expect.poll(status).toBe('completed');
  return run;
}

async function eventsOf(runId: string): Promise<Any[]> {
  return (await host.get(`/v1/runs/${runId}/events/poll?limit=500`)).body.events;
}

/** The events of the agents in one run, each with what tells it from others of its type. */
async function told(runId: string, nodeId?: string): Promise<string[]> {
  const events = (await eventsOf(runId)).filter(({ nodeId: of }) => nodeId === undefined || of === nodeId);
  return events
    .filter(({ type }) => type.startsWith('agent.') && type !== 'agent.reasoning.delta')
    .map(({ type, payload: { toolName, status, outcome, verdict } }) =>
      [type.slice('agent.'.length), toolName, status ?? outcome ?? verdict].filter(Boolean).join(' '),
    );
}

const BEGIN = ['invocation.started', 'promptResolved'];
const END = ['decided', 'invocation.completed completed'];
const BRACKETS = [...BEGIN, 'reasoned', ...END];

/** Every invocation of a tree thought aloud before it decided. */
async function expectReasons(runIds: readonly string[]): Promise<void> {
  const events = (await Promise.all(runIds.map(eventsOf))).flat();
  const reasons = events
    .filter(({ type }) => type === 'agent.reasoned')
    .map(({ payload }) => payload.reasoning);
  expect(reasons.length).toBeGreaterThan(0);
  expect(reasons).not.toContain('');
}

async function treeOf(runId: string): Promise<{ readonly ids: string[]; readonly workers: string[] }> {
  const { childRuns = [] } = (await host.get(`/v1/runs/${runId}`)).body;
  return {
    ids: [runId, ...childRuns.map((child: Any) => child.runId)],
    workers: childRuns.map((child: Any) => child.workflowId.replace('agent:', '')),
  };
}

describe('research-team', () => {
  it('reads, writes, is sent back once, and merges what a person accepts', async () => {
    const runId = await start('research-team');
    const first = await question(runId);
    expect((await host.get(`/v1/runs/${runId}`)).body.variables).not.toHaveProperty('findings');
    await answer(first, { action: 'accept' });
    const second = await question(runId, first);
    await answer(second, { action: 'accept' });
    const { variables } = await finished(runId);
    expect(variables.findings).toHaveLength(3);
    expect(variables.report).toContain('Two things are not known well enough to promise');

    expect(await told(runId)).toEqual([
      ...BRACKETS,
      'verified pass',
      ...BRACKETS,
      'verified revise',
      'verified pass',
      ...BRACKETS,
    ]);
    const team = 'local.research-team.';
    const { ids, workers } = await treeOf(runId);
    expect(workers).toEqual(
      ['reader', 'critic', 'writer', 'critic', 'writer', 'critic'].map((one) => team + one),
    );
    expect(await told(ids[1] as string)).toEqual([
      ...BEGIN,
      'reasoned',
      'toolCalled baton:calculate',
      'toolCalled baton:calculate',
      'toolReturned baton:calculate ok',
      'toolReturned baton:calculate ok',
      'reasoned',
      ...END,
    ]);
    await expectReasons(ids);
    const settled = (await eventsOf(runId)).filter(({ type }) => type === 'baton.merge.settled');
    expect(settled.map(({ payload }) => [payload.workerId, payload.merged, payload.why])).toEqual([
      [`${team}reader`, true, 'approved'],
      [`${team}writer`, true, 'approved'],
    ]);
  });

  it('takes over a report as a person edited it', async () => {
    const runId = await start('research-team');
    const first = await question(runId);
    await answer(first, { action: 'accept' });
    const report = 'Plant whole blocks.';
    await answer(await question(runId, first), { action: 'edit-accept', editedArtifactData: { report } });
    expect((await finished(runId)).variables.report).toBe(report);
  });
});

describe('support-triage', () => {
  const BEFORE = [
    ...BEGIN,
    'reasoned',
    'toolCalled mcp:shop/find_order',
    'toolReturned mcp:shop/find_order ok',
    'reasoned',
    'toolCalled baton:calculate',
    'toolReturned baton:calculate ok',
    'reasoned',
  ];

  it('refunds what a person approved, and writes a reply that a critic passed', async () => {
    const runId = await start('support-triage');
    const asked = await question(runId);
    expect(asked.title).toBe('Triage wants to call mcp:shop/refund');
    expect(await told(runId)).toEqual(BEFORE);
    await answer(asked, { action: 'accept' });
    const { variables } = await finished(runId);
    expect(variables.triage).toMatchObject({ category: 'damaged', refunded: 19.35 });
    expect(variables.reply).toContain('19.35');
    expect(await told(runId)).toEqual([
      ...BEFORE,
      'toolCalled mcp:shop/refund',
      'toolReturned mcp:shop/refund ok',
      'reasoned',
      ...END,
      'verified revise',
      'verified pass',
    ]);
    await expectReasons((await treeOf(runId)).ids);
  });

  it('refunds nothing that a person declined', async () => {
    const runId = await start('support-triage');
    await answer(await question(runId), { action: 'reject', reason: 'Offer an exchange.' });
    const { variables } = await finished(runId);
    expect(variables.triage).toMatchObject({ refunded: 0 });
    expect(variables.reply).toContain('We will exchange it');
    expect(await told(runId, 'triage')).toEqual([
      ...BEFORE,
      'toolCalled mcp:shop/refund',
      'toolReturned mcp:shop/refund forbidden',
      'reasoned',
      ...END,
    ]);
  });

  it('leaves a ticket to a person when no rule settles it', async () => {
    const runId = await start('support-triage', { ticket: 'Your lamp burned my table. Ask my lawyer.' });
    const asked = await question(runId);
    expect(asked.title).toMatch(/^Triage is not sure enough of its result \(0\.4,/);
    expect((await host.get(`/v1/runs/${runId}`)).body.variables).not.toHaveProperty('triage');
    await answer(asked, { action: 'accept' });
    expect((await finished(runId)).variables.triage).toMatchObject({ category: 'legal', refunded: 0 });
    expect(await told(runId)).toEqual([
      ...BEGIN,
      'reasoned',
      'decided',
      'invocation.completed escalated',
      'verified pass',
    ]);
  });
});

describe('code-review-panel', () => {
  it('puts three reviews together, and posts them when two people agree', async () => {
    const runId = await start('code-review-panel');
    const asked = await question(runId);
    await answer(asked, { action: 'accept' });
    expect((await host.get(`/v1/runs/${runId}`)).body.status).toBe('waiting-approval');
    await answer(asked, { action: 'accept' }, ADA);
    const { variables } = await finished(runId);
    expect(variables).toMatchObject({ recommendation: 'change', outcome: 'posted: change' });
    const verdicts = Object.entries(variables.reviews).map(([who, review]: Any) => [who, review.verdict]);
    expect(Object.fromEntries(verdicts)).toEqual({
      correctness: 'change',
      security: 'change',
      readability: 'approve',
    });
    expect(await told(runId, 'security')).toEqual(BRACKETS);
    expect(await told(runId, 'readability')).toEqual(BRACKETS);
    expect(await told(runId, 'correctness')).toEqual([
      ...BEGIN,
      'reasoned',
      'toolCalled baton:calculate',
      'toolReturned baton:calculate ok',
      'reasoned',
      ...END,
    ]);
    expect(await told(runId, 'chair')).toEqual(['verified pass']);
    const votes = (await eventsOf(runId)).filter(({ type }) => type === 'approval.granted');
    expect(votes.map(({ payload }) => payload.quorumProgress)).toEqual([
      { granted: 1, required: 2 },
      { granted: 2, required: 2 },
    ]);
    expect(new Set(votes.map(({ payload }) => payload.principal)).size).toBe(2);
    await expectReasons((await treeOf(runId)).ids);
  });

  it('is withdrawn by one rejection', async () => {
    const runId = await start('code-review-panel');
    await answer(await question(runId), { action: 'reject', reason: 'The author has left.' });
    expect((await finished(runId)).variables.outcome).toBe('withdrawn');
  });
});

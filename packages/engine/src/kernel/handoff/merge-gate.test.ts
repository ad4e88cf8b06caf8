import { digest, type Json } from '@baton/protocol';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../tests/verifies.ts';
import {
  type Simulation,
  type SimulationOptions,
  simulate,
} from '../../../../conformance/src/testkit/simulation.ts';
import {
  boss,
  declare,
  gatedBoss,
  gatedCall,
  hand,
  node,
  TERMINATE,
  worker,
  workflow,
} from '../../../../conformance/src/testkit/workflows.ts';

type Config = Record<string, unknown>;

const MAPPING = { outputMapping: { report: 'text' } };
const writer = worker('writer', { text: 'draft', note: 'private' });

/** A supervisor whose dispatch node has a gate. */
const dispatching = (
  settings: Config,
  more: readonly unknown[] = [],
  plan: readonly unknown[] = [hand('writer'), TERMINATE],
  options: SimulationOptions = {},
) => simulate([gatedBoss(settings, MAPPING, plan), writer, ...more], options);

/** The same work by a sub-workflow node. */
const calling = (
  settings: Config,
  more: readonly unknown[] = [],
  config: Config = {},
  options: SimulationOptions = {},
) => simulate([gatedCall(settings, { ...MAPPING, ...config }), writer, ...more], options);

const WAYS = [
  ['dispatch', dispatching],
  ['sub-workflow', calling],
] as const;

const merges = (run: Simulation) => run.of('baton.merge.settled').map((event) => event.payload);
const phases = (run: Simulation) => run.of('core.workflowChain.event').map((event) => event.payload.phase);
const completion = (run: Simulation) =>
  run.of('node.completed').find((event) => event.nodeId === 'dispatch')?.payload.outputs;
const report = (run: Simulation) => run.run().variables.report;

/** A critic that answers with these variables. */
const critic = (answer: Record<string, Json>) => worker('critic', answer);

describe.each(WAYS)('attestation, on a %s', (_way, start) => {
  it('puts the digest of what is handed over on output.harvested', () => {
    verifies('ATTEST-01', 'ATTEST-03', 'ATTEST-04', 'ATTEST-06', 'ATTEST-20', 'READ-10');
    const run = start({ outputAttestation: { checksum: true } });
    const harvested = run.of('core.workflowChain.event').at(-1)!.payload;
    expect(harvested.attestation).toEqual({ checksum: digest({ text: 'draft' }), algorithm: 'sha256' });
    expect(harvested.phase).toBe('output.harvested');
  });

  it('ATTEST-07 repeats it on the completion of the node, with whether it was merged', () => {
    const run = start({ outputAttestation: { checksum: true } });
    expect(completion(run)).toMatchObject({
      childStatus: 'completed',
      merged: true,
      attestation: { checksum: digest({ text: 'draft' }), algorithm: 'sha256' },
    });
  });

  it('ATTEST-02 changes nothing where there is no gate', () => {
    const run = start({});
    expect(report(run)).toBe('draft');
    expect(run.types()).not.toContain('baton.merge.settled');
    expect(completion(run)).not.toHaveProperty('merged');
  });

  it('ATTEST-05 refuses another algorithm at registration', () => {
    expect(() => start({ outputAttestation: { checksum: true, algorithm: 'md5' } })).toThrow('algorithm');
  });

  it('READ-06 harvests before the gate, and merges because of what allowed it', () => {
    const run = start({ outputAttestation: { requireApproval: true } });
    expect(phases(run).at(-1)).toBe('output.harvested');
    expect(report(run)).toBeUndefined();
    run.resolve('dispatch', { action: 'accept' });
    const resolved = run.of('interrupt.resolved')[0]!.eventId;
    expect(run.of('variable.changed').map((event) => event.causationId)).toEqual([resolved]);
  });
});

describe('attestation', () => {
  it('ATTEST-04 is the same whatever the order of keys and the form of numbers', () => {
    const checksum = (value: Json) => {
      const child = workflow('writer', [node('work', 'core.noop')], { variables: declare({ text: value }) });
      const parent = workflow('p', [
        node('call', 'core.subWorkflow', {
          workflowId: 'writer',
          ...MAPPING,
          outputAttestation: { checksum: true },
        }),
      ]);
      const run = simulate([parent, child]);
      return run.of('core.workflowChain.event').at(-1)!.payload.attestation!.checksum;
    };
    expect(checksum({ a: 1, b: [2, { é: 'ü' }] })).toBe(checksum({ b: [2.0, { é: 'ü' }], a: 1 }));
    expect(checksum({ a: 1 })).not.toBe(checksum({ a: 2 }));
  });

  it('READ-07 stands on the completion only when the mapping is empty, over everything the child has', () => {
    const parent = workflow('p', [
      node('dispatch', 'core.subWorkflow', { workflowId: 'writer', outputAttestation: { checksum: true } }),
    ]);
    const run = simulate([parent, writer]);
    expect(phases(run)).toEqual(['dispatch.began', 'dispatch.succeeded', 'child.completed']);
    expect(completion(run)).toMatchObject({
      attestation: { checksum: digest({ text: 'draft', note: 'private' }), algorithm: 'sha256' },
    });
  });

  it('READ-08 takes the block of a sub-workflow from its config rather than its settings', () => {
    const run = calling({ outputAttestation: { requireApproval: true } }, [], {
      outputAttestation: { checksum: true },
    });
    expect(run.status()).toBe('completed');
  });

  it('READ-09 roots the chain of a gated sub-workflow in the start of its node', () => {
    const run = calling({ outputAttestation: { checksum: true } });
    const started = run.of('node.started')[0]!.eventId;
    const chain = run.of('core.workflowChain.event');
    expect(chain.map((event) => event.causationId)).toEqual([
      started,
      ...chain.slice(0, -1).map((e) => e.eventId),
    ]);
    expect(calling({}).types()).not.toContain('core.workflowChain.event');
  });
});

describe.each(WAYS)('approval, on a %s', (way, start) => {
  const gated = (more: Config = {}) =>
    start({ outputAttestation: { checksum: true, requireApproval: true, ...more } });

  it('waits with the outputs and their digest before anything is merged', () => {
    verifies('ATTEST-09', 'ATTEST-10', 'ATTEST-17', 'READ-11');
    const run = gated();
    expect(run.status()).toBe('waiting-approval');
    expect(run.of('interrupt.requested')[0]!.payload).toMatchObject({
      kind: 'approval',
      data: {
        artifactData: { text: 'draft' },
        attestation: { checksum: digest({ text: 'draft' }) },
        actions: ['accept', 'edit-accept', 'reject', 'ask'],
      },
    });
    expect(report(run)).toBeUndefined();
  });

  it('ATTEST-11 ATTEST-18 merges what was accepted, and says who accepted it', () => {
    const run = gated();
    run.resolve('dispatch', { action: 'accept' }, { by: 'bo' });
    expect(report(run)).toBe('draft');
    expect(merges(run)).toMatchObject([{ merged: true, why: 'approved' }]);
    expect(run.of('approval.received')[0]!.payload).toMatchObject({ action: 'accept', decidedBy: 'bo' });
    expect(run.status()).toBe('completed');
  });

  it('ATTEST-12 merges the edited data instead, and attests it again', () => {
    const run = gated();
    run.resolve('dispatch', { action: 'edit-accept', editedArtifactData: { text: 'better' } });
    expect(report(run)).toBe('better');
    expect(completion(run)).toMatchObject({
      merged: true,
      attestation: { checksum: digest({ text: 'draft' }), editedChecksum: digest({ text: 'better' }) },
    });
  });

  it.each([
    ['a name the child does not hand over', { note: 'leak' }, 'note'],
    ['a value of another type', { text: 7 }, 'text'],
    ['something that is not an object', 'better', 'editedArtifactData'],
  ])('refuses an edit with %s, and keeps asking', (_what, editedArtifactData, field) => {
    const run = gated();
    expect(() => run.resolve('dispatch', { action: 'edit-accept', editedArtifactData })).toThrow(field);
    expect(run.status()).toBe('waiting-approval');
    expect(report(run)).toBeUndefined();
  });

  it('ATTEST-13 ATTEST-19 merges nothing when rejected', () => {
    const run = gated();
    run.resolve('dispatch', { action: 'reject' });
    expect(report(run)).toBeUndefined();
    expect(merges(run)).toMatchObject([{ merged: false, why: 'rejected' }]);
    expect(run.status()).toBe(way === 'dispatch' ? 'completed' : 'failed');
  });

  it('ATTEST-14 keeps waiting after a question back', () => {
    const run = gated();
    run.resolve('dispatch', { action: 'ask', question: 'Where is this from?' });
    expect(run.status()).toBe('waiting-approval');
    expect(report(run)).toBeUndefined();
    run.resolve('dispatch', { action: 'accept' });
    expect(report(run)).toBe('draft');
  });

  it('does not let whoever started the run approve it, where duties are separate', () => {
    const run = gated({ separationOfDuties: true });
    expect(() => run.resolve('dispatch', { action: 'accept' }, { by: 'ana' })).toThrow(
      /started or branched this run/,
    );
    expect(report(run)).toBeUndefined();
    run.resolve('dispatch', { action: 'accept' }, { by: 'bo' });
    expect(report(run)).toBe('draft');
  });
});

describe('approval', () => {
  it('ATTEST-13 follows onChildFailure when a sub-workflow is rejected', () => {
    for (const [onChildFailure, status] of [
      ['fail-parent', 'failed'],
      ['absorb', 'completed'],
    ] as const) {
      const run = calling({ outputAttestation: { requireApproval: true } }, [], { onChildFailure });
      run.resolve('dispatch', { action: 'reject' });
      expect(run.status()).toBe(status);
      expect(report(run)).toBeUndefined();
    }
  });

  it('ATTEST-16 asks once for each child', () => {
    const other = { ...writer, id: 'other' };
    const run = dispatching(
      { outputAttestation: { requireApproval: true } },
      [other],
      [hand('writer', 'other'), TERMINATE],
    );
    const first = run.of('interrupt.requested').map((event) => event.payload.key);
    run.resolve('dispatch', { action: 'reject' });
    run.resolve('dispatch', { action: 'accept' });
    const keys = run.of('interrupt.requested').map((event) => event.payload.key);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(2);
    expect(keys[0]).toBe(first[0]);
    expect(merges(run).map(({ workerId, merged }) => [workerId, merged])).toEqual([
      ['writer', false],
      ['other', true],
    ]);
  });

  it('ATTEST-08 READ-16 leaves it to a node of the parent to act on a checksum', () => {
    const parent = workflow(
      'parent',
      [
        node('call', 'core.subWorkflow', {
          workflowId: 'writer',
          ...MAPPING,
          outputAttestation: { checksum: true },
        }),
        node('mismatch', 'core.fail', { code: 'checksum_mismatch' }),
      ],
      {
        edges: [
          {
            sourceNodeId: 'call',
            targetNodeId: 'mismatch',
            condition: {
              type: 'notEquals',
              left: 'nodes.call.outputs.attestation.checksum',
              right: 'expected',
            },
          },
        ],
      },
    );
    const run = simulate([parent, writer]);
    expect(report(run)).toBe('draft');
    expect(run.status()).toBe('failed');
  });
});

describe.each(WAYS)('a critic, on a %s', (_way, start) => {
  const judged = (answer: Record<string, Json>, verifier: Config = {}, more: Config = {}) =>
    start({ verifier: { workflowId: 'critic', criteria: ['grounded'], ...verifier }, ...more }, [
      critic(answer),
    ]);

  it('lets through what it passes, and its verdict comes before the merge', () => {
    verifies('VERIFY-01', 'VERIFY-04', 'VERIFY-12');
    const run = judged({ verdict: 'pass', confidence: 0.9 });
    expect(report(run)).toBe('draft');
    const [verified] = run.of('agent.verified');
    expect(verified!.payload).toMatchObject({
      target: 'root.1',
      verdict: 'pass',
      criteria: ['grounded'],
      confidence: 0.9,
    });
    const [changed] = run.of('variable.changed');
    expect(changed!.sequence).toBeGreaterThan(verified!.sequence);
    expect(changed!.causationId).toBe(verified!.eventId);
  });

  it('VERIFY-09 VERIFY-14 FAIL-02 keeps out what it fails', () => {
    const run = judged({ verdict: 'fail' });
    expect(report(run)).toBeUndefined();
    expect(merges(run)).toMatchObject([{ merged: false, why: 'verdict-failed', verdict: 'fail' }]);
    expect(run.status()).not.toBe('completed');
  });

  it('VERIFY-02 VERIFY-05 VERIFY-06 FAIL-12 says nothing about what it judged', () => {
    const canary = 'draft';
    for (const event of judged({ verdict: 'pass', feedback: canary }).of('agent.verified')) {
      expect(JSON.stringify(event)).not.toContain(canary);
      expect(Object.keys(event.payload).sort()).toEqual(['agentId', 'criteria', 'target', 'verdict']);
    }
  });

  it('VERIFY-07 is named in the verdict, and has a run of its own that can be looked into', () => {
    const run = judged({ verdict: 'pass' });
    expect(run.of('agent.verified')[0]!.payload.agentId).toBe('critic');
    expect(run.run('root.2')).toMatchObject({ workflowId: 'critic', role: 'critic' });
    expect(run.run('root.2').inputs).toEqual({
      outputs: { text: 'draft' },
      criteria: ['grounded'],
      workerId: 'writer',
      attempt: 1,
    });
  });

  it.each([
    ['missing', {}],
    ['unknown', { verdict: 'ok' }],
    ['of the wrong type', { verdict: true }],
    ['with a confidence that is none', { verdict: 'pass', confidence: 7 }],
  ])('VERIFY-03 READ-21 counts a verdict that is %s as fail', (_what, answer) => {
    const run = judged(answer as Record<string, Json>);
    expect(run.of('agent.verified').map((event) => event.payload.verdict)).toEqual(['fail']);
    expect(report(run)).toBeUndefined();
  });

  it.each([
    ['fails', workflow('critic', [node('n', 'core.fail')])],
    ['does not exist', writer],
  ])('READ-21 counts a critic that %s as fail', (_what, definition) => {
    const run = start({ verifier: { workflowId: 'critic' } }, definition === writer ? [] : [definition]);
    expect(run.of('agent.verified').map((event) => event.payload.verdict)).toEqual(['fail']);
    expect(report(run)).toBeUndefined();
  });

  it('READ-21 counts a critic that is late as fail, and stops it', () => {
    const slow = workflow('critic', [node('gate', 'core.approvalGate')], {
      variables: declare({ verdict: 'pass' }),
    });
    const run = start({ verifier: { workflowId: 'critic', timeoutMs: 1000 } }, [slow]);
    expect(run.deadline()).toBe(run.now() + 1000);
    run.tick(1000);
    expect(run.of('agent.verified').map((event) => event.payload.verdict)).toEqual(['fail']);
    expect(run.status('root.2')).toBe('cancelled');
    expect(report(run)).toBeUndefined();
  });

  it('waits five minutes for a critic when nobody says how long', () => {
    const slow = workflow('critic', [node('gate', 'core.approvalGate')]);
    const run = start({ verifier: { workflowId: 'critic' } }, [slow]);
    expect(run.deadline()).toBe(run.now() + 5 * 60_000);
  });

  it('sends the worker back with feedback, at most as often as allowed, and then counts as fail', () => {
    verifies('VERIFY-11');
    const run = judged({ verdict: 'revise', feedback: 'cite sources' }, { maxRevisions: 2 });
    const attempts = run
      .runIds()
      .map((id) => run.run(id))
      .filter((child) => child.workflowId === 'writer');
    expect(attempts).toHaveLength(3);
    expect(attempts.map((child) => child.variables.attempt)).toEqual([undefined, 2, 3]);
    expect(attempts[1]!.variables.feedback).toBe('cite sources');
    expect(run.of('agent.verified').map((event) => event.payload.verdict)).toEqual([
      'revise',
      'revise',
      'revise',
    ]);
    expect(merges(run)).toMatchObject([{ merged: false, why: 'verdict-failed' }]);
    expect(report(run)).toBeUndefined();
  });

  it('comes before the person, who is not asked about what it failed', () => {
    const both = { outputAttestation: { requireApproval: true } };
    const failed = judged({ verdict: 'fail' }, {}, both);
    expect(
      failed
        .of('interrupt.requested')
        .filter((e) => e.payload.kind === 'approval' && e.payload.data.artifactType === 'sub-run-outputs'),
    ).toEqual([]);
    const passed = judged({ verdict: 'pass' }, {}, both);
    expect(report(passed)).toBeUndefined();
    passed.resolve('dispatch', { action: 'accept' });
    expect(report(passed)).toBe('draft');
  });

  it('emits no chain events of its own', () => {
    const run = judged({ verdict: 'pass' });
    expect(phases(run)).toEqual([
      'dispatch.began',
      'dispatch.succeeded',
      'child.completed',
      'output.harvested',
    ]);
  });

  it('VERIFY-13 VERIFY-18 gates nothing where no critic is named', () => {
    const run = start({ outputAttestation: { checksum: true } }, [critic({ verdict: 'fail' })]);
    expect(report(run)).toBe('draft');
    expect(run.types()).not.toContain('agent.verified');
    expect(run.types()).not.toContain('baton.critic.started');
  });
});

describe('a verdict of fail in a loop', () => {
  const verifier = { verifier: { workflowId: 'critic' } };

  it('VERIFY-10 READ-25 goes back to the supervisor, and a terminate over it waits for a person', () => {
    const run = dispatching(verifier, [critic({ verdict: 'fail' })]);
    expect(run.of('runOrchestrator.decided').map((event) => event.payload.decision.kind)).toEqual([
      'next-worker',
      'terminate',
    ]);
    expect(run.status()).toBe('waiting-approval');
    run.resolve('supervisor', { action: 'accept' });
    expect(run.status()).toBe('completed');
    expect(run.run().goal).toEqual({ met: false });
  });

  it('is forgotten once the same worker passes', () => {
    const moody = workflow('critic', [
      node('judge', 'vendor.baton.set', {
        assign: { verdict: 'inputs.attempt > 1 ? "pass" : "revise"', feedback: '"again"' },
      }),
    ]);
    const run = dispatching({ verifier: { workflowId: 'critic', maxRevisions: 1 } }, [moody]);
    expect(run.of('agent.verified').map((event) => event.payload.verdict)).toEqual(['revise', 'pass']);
    expect(report(run)).toBe('draft');
    expect(run.status()).toBe('completed');
    expect(run.run().goal).toBeUndefined();
  });
});

describe('goals', () => {
  const ending = (successCriteria?: unknown) =>
    simulate([boss([{ kind: 'terminate', ...(successCriteria !== undefined && { successCriteria }) }])]);

  it('VERIFY-15 VERIFY-16 FAIL-09 READ-25 says that a run gave up when one criterion is not met', () => {
    const criteria = [
      { key: 'answered', met: true },
      { key: 'cited', met: false },
    ];
    const run = ending(criteria);
    expect(run.status()).toBe('completed');
    expect(run.run().goal).toEqual({ met: false, criteria });
    expect(ending([{ key: 'answered', met: true }]).run().goal).toMatchObject({ met: true });
    expect(() => ending([{ key: 'answered', met: true, text: 'leak' }])).toThrow('text');
  });

  it('VERIFY-17 says nothing where no criteria are given', () => {
    expect(ending().run().goal).toBeUndefined();
  });
});

describe('gates that are refused at registration', () => {
  it.each([
    ['a misspelt field', { outputAttestation: { requireAproval: true } }, 'outputAttestation.requireAproval'],
    ['a critic without a workflow', { verifier: { criteria: [] } }, 'verifier.workflowId'],
    ['an agent as critic, which this host does not have', { verifier: { agentId: 'a.b.c' } }, 'verifier'],
  ])('%s', (_what, settings, field) => {
    expect(() => dispatching(settings)).toThrow(field);
  });

  it('a gate on a node that hands nothing over', () => {
    const definition = workflow('w', [
      node('n', 'core.noop', {}, { settings: { outputAttestation: { checksum: true } } }),
    ]);
    expect(() => simulate([definition])).toThrow('outputAttestation');
  });

  it('a gate on a sub-workflow that does not wait', () => {
    expect(() =>
      calling({ outputAttestation: { requireApproval: true } }, [], { waitForCompletion: false }),
    ).toThrow('waitForCompletion');
  });
});

describe.each(WAYS)('scopes of a child, on a %s', (_way, start) => {
  const careful = workflow(
    'writer',
    [node('work', 'core.noop', {}, { settings: { requiredScopes: ['runs:cancel'] } })],
    {
      variables: declare({ text: 'draft' }),
    },
  );
  const within = (principalScope: string[], scopes: string[]) =>
    start({ outputAttestation: { principalScope } }, [careful], undefined, { scopes });

  it('SCOPE-01 narrows them to those that are named, and refuses what is outside', () => {
    const run = within(['runs:read'], ['runs:read', 'runs:cancel']);
    expect(run.run('root.1').scopes).toEqual(['runs:read']);
    expect(run.run('root.1').phase).toMatchObject({ status: 'failed', error: { code: 'forbidden' } });
    expect(run.of('authorization.decided', 'root.1')[0]?.payload).toMatchObject({
      action: 'runs:cancel',
      allowed: false,
    });
    expect(report(run)).toBeUndefined();
  });

  it('SCOPE-02 FAIL-11 never widens them', () => {
    const run = within(['runs:cancel'], ['runs:read']);
    expect(run.run('root.1').scopes).toEqual([]);
    expect(run.run('root.1').phase).toMatchObject({ error: { code: 'forbidden' } });
  });

  it('lets the child do what is named and held', () => {
    expect(report(within(['runs:cancel'], ['runs:read', 'runs:cancel']))).toBe('draft');
  });

  it('SCOPE-03 READ-40 grants nothing by a scope that this host does not know', () => {
    const settings = { outputAttestation: { principalScope: ['report:write', 'runs:read'] } };
    // Not even where the parent may do everything.
    const free = start(settings, [careful]);
    expect(free.run('root.1').scopes).toEqual(['runs:read']);
    const judged = { verifier: { workflowId: 'critic', principalScope: ['report:write'] } };
    expect(start(judged, [critic({ verdict: 'pass' })]).run('root.2').scopes).toEqual([]);
    expect(within(['report:write'], ['runs:cancel']).run('root.1').phase).toMatchObject({
      error: { code: 'forbidden' },
    });
  });
});

describe('who answers', () => {
  it('a link alone is not enough where duties are separate', () => {
    const run = calling({ outputAttestation: { requireApproval: true, separationOfDuties: true } });
    expect(() => run.resolve('dispatch', { action: 'accept' }, { by: 'bo', viaToken: true })).toThrow(
      /API key/,
    );
    expect(report(run)).toBeUndefined();
  });

  it('several approvers accept the same thing: none of them may edit it', () => {
    const run = calling({ outputAttestation: { requireApproval: true, requiredApprovals: 2 } });
    const edit = { action: 'edit-accept', editedArtifactData: { text: 'better' } };
    expect(() => run.resolve('dispatch', edit)).toThrow('action');
    run.resolve('dispatch', { action: 'accept' }, { by: 'bo' });
    expect(report(run)).toBeUndefined();
    run.resolve('dispatch', { action: 'accept' }, { by: 'cy' });
    expect(report(run)).toBe('draft');
  });
});

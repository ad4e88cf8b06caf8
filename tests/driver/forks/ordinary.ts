import { setVariables } from '@baton/conformance/engine';
import {
  boss,
  declare,
  edge,
  hand,
  inOrder,
  look,
  node,
  remember,
  TERMINATE,
  waitingWorker,
  workflow,
} from '../../../packages/conformance/src/testkit/workflows.ts';
import { answer, child, effect, gate, line, start } from '../forking.ts';
import { CALLER } from '../test-engine.ts';
import { dispatching, FAILED, GOOD, note, QUITTER, wait } from './parts.ts';
import type { Stories } from './story.ts';

/** Runs that go their way, with what people, time and the outside do to them. */

const NAMED = [
  line('top', [
    child(
      'call',
      'worker',
      { outputMapping: { got: 'made' } },
      { settings: { outputAttestation: { checksum: true, requireApproval: true } } },
    ),
  ]),
  line('worker', [
    child('sub', 'leaf'),
    {
      ...node('set', 'vendor.baton.set', { assign: { made: 'inputs.id' } }),
      inputs: { id: { type: 'connection', nodeId: 'sub', outputKey: 'childRunId' } },
    },
  ]),
  line('leaf', [node('a', 'core.noop')]),
];

export const ORDINARY: Stories = {
  'effects around an approval': () => ({
    workflows: [line('acts', [effect('first'), gate('gate'), effect('second')])],
    shows: ['"type":"approval.granted"'],
  }),
  'a rejection that the workflow goes on after, and variables that somebody sets': () => ({
    workflows: [line('goes-on', [gate('gate', { onReject: 'continue' }), effect('act')])],
    live: async ({ top }, runId) => {
      await top.execute(setVariables(CALLER, runId, { seen: true }));
      await answer(top, runId, 'gate', { action: 'reject' });
    },
    shows: ['"type":"variable.changed"', '"outcome":"rejected"'],
    otherBranches: 'Nobody rejects anything.',
  }),
  'memory, and a child that is asked': () => ({
    workflows: [
      line('parent', [
        note('a'),
        gate('before'),
        child('call', 'below'),
        gate('behind'),
        look('look'),
        note('b'),
      ]),
      line('below', [look('look'), note('c'), gate('ask'), effect('act')]),
    ],
    begins: { scopeId: 'desk' },
    shows: ['"type":"baton.memory.carried"'],
  }),
  'a child of a child, which reads what all have written': () => ({
    workflows: [
      line('root', [note('a'), note('b'), child('call', 'middle')]),
      line('middle', [note('c'), child('call', 'leaf')]),
      line('leaf', [look('look'), gate('ask')]),
    ],
    begins: { scopeId: 'desk' },
  }),
  'memory that is written, forgotten and found by the id that it was given': () => ({
    workflows: [
      line('notes', [
        note('k'),
        remember('write', { content: 'x' }),
        node(
          'read',
          'vendor.baton.memory.read',
          { into: 'found' },
          { inputs: { key: { type: 'connection', nodeId: 'write', outputKey: 'memoryId' } } },
        ),
        node('forget', 'vendor.baton.memory.forget', { key: 'k' }),
        look('gone'),
      ]),
    ],
    shows: ['"next":[{"id":'],
  }),
  'times to live that end': () => ({
    workflows: [
      workflow(
        'short',
        [
          note('brief', { ttlSeconds: 6 }),
          note('long', { ttlSeconds: 60 }),
          child('call', 'reads'),
          wait('one'),
          look('soon', { into: 'soon' }),
          wait('two'),
          look('late', { into: 'late' }),
          gate('end'),
        ],
        {
          edges: [
            edge('note-brief', 'note-long'),
            edge('note-long', 'one'),
            edge('note-long', 'call'),
            ...inOrder(['one', 'soon', 'two', 'late', 'end'].map((id) => ({ id }))),
          ],
        },
      ),
      line('reads', [
        note('own', { ttlSeconds: 3 }),
        wait('one', 2000),
        look('soon'),
        wait('two', 5000),
        look('late'),
      ]),
    ],
    shows: ['"expiresAt"'],
  }),
  'SCEN-08 a scope that others write before, and behind its back': () => ({
    workflows: [
      line('story', [
        look('given'),
        gate('gate'),
        look('early'),
        note('mood', { content: 'new' }),
        look('late'),
      ]),
      workflow('other', [note('mood', { ttlSeconds: 5 }), note('more')]),
    ],
    begins: { scopeId: 'desk' },
    before: ({ top }) => start(top, 'other', { scopeId: 'desk' }),
    behind: ({ top }) => start(top, 'other', { scopeId: 'desk' }),
    shows: ['"next":[{"id":"mood"'],
  }),
  'an entry that is written again, with a time to live that ends': () => ({
    workflows: [
      line('twice', [
        note('k'),
        remember('again', { key: 'k', content: 'new', ttlSeconds: 3 }),
        gate('one'),
        look('soon'),
        wait('wait'),
        look('late'),
      ]),
    ],
    shows: ['"next":[]'],
  }),
  'what a child remembers for a time': () => ({
    workflows: [
      line('calls', [child('call', 'noting'), look('soon'), wait('wait'), look('late')]),
      line('noting', [note('brief', { ttlSeconds: 5 }), wait('wait', 2000)]),
    ],
    shows: ['"next":[]', '"type":"baton.memory.carried"'],
  }),
  'questions whose time is over': () => ({
    workflows: [
      workflow(
        'parent',
        [
          child('call', 'asks', { onChildFailure: 'absorb' }),
          wait('wait'),
          gate('beside', { timeoutMs: 60_000 }),
          node('paid', 'core.interrupt', {
            kind: 'external-event',
            data: { eventType: 'paid', correlation: {} },
            timeoutMs: 5000,
          }),
        ],
        { edges: [edge('wait', 'beside'), edge('beside', 'paid')] },
      ),
      line('asks', [gate('ask', { timeoutMs: 6000 })]),
    ],
    answers: { ask: null, paid: null },
    ends: 'failed',
  }),
  'an effect that is tried again, and an attempt of its node': () => ({
    workflows: [
      line('tries', [
        node('tried', 'core.conformance.side-effect', { tries: 2 }),
        effect('effect', { settings: { retry: { maxRetries: 1, backoffMs: 3000 } } }),
      ]),
    ],
    host: {
      perform: async ({ nodeId, attempt, tries }) =>
        (nodeId === 'tried' ? tries : attempt) === 1 ? FAILED : { kind: 'done', outputs: {} },
    },
    shows: ['"type":"baton.effect.retried"', '"type":"node.retried"'],
  }),
  'handoffs, and a question to the user': () => ({
    workflows: [
      boss([hand('good', 'asks'), { kind: 'ask-user', prompt: 'Go on?' }, hand('good'), TERMINATE], {
        outputMapping: { outcome: 'text' },
      }),
      GOOD,
      waitingWorker('asks', { text: 'asked' }),
    ],
    answers: { dispatch: { answers: { answer: 'yes' } } },
    shows: ['"type":"core.workflowChain.event"', '"prompt":"Go on?"'],
  }),
  'READ-34 READ-41 a loop without an edge back, whose worker gives up': () => ({
    workflows: [
      boss([hand('quitter'), hand('quitter'), TERMINATE], {}, { edges: [edge('supervisor', 'dispatch')] }),
      QUITTER,
    ],
    begins: { configurable: { maxLoopIterations: 5 } },
  }),
  'READ-35 an edited decision': () => ({
    workflows: [boss([{ ...hand('quitter'), confidence: 0.1 }, TERMINATE]), QUITTER],
    answers: {
      supervisor: { action: 'edit-accept', editedArtifactData: hand('quitter', 'quitter') } as never,
    },
    shows: ['"decidedBy"'],
  }),
  'READ-38 a child that no node waits for': () => ({
    workflows: [
      line('letting-go', [child('call', 'noting', { waitForCompletion: false }), gate('wait'), look('late')]),
      line('noting', [note('k'), gate('ask')]),
    ],
    shows: ['"type":"baton.child.ended"', '"type":"baton.memory.carried"'],
  }),
  'READ-42 READ-43 work that a critic sends back': () => ({
    workflows: [
      dispatching({ verifier: { workflowId: 'critic', maxRevisions: 5 } }, [hand('noting'), TERMINATE]),
      line('noting', [note('k'), gate('ask')]),
      workflow('critic', [gate('judge')], { variables: declare({ verdict: 'revise' }) }),
    ],
    begins: { configurable: { maxLoopIterations: 2 } },
    ends: 'failed',
    shows: ['"type":"agent.verified"'],
  }),
  'READ-21 a critic whose time is over': () => ({
    workflows: [
      dispatching({ verifier: { workflowId: 'critic', timeoutMs: 3000 } }, [hand('good'), TERMINATE], {
        outputMapping: { report: 'text' },
      }),
      GOOD,
      workflow('critic', [gate('judge')], { variables: declare({ verdict: 'pass' }) }),
    ],
    answers: { judge: null },
    shows: ['"verdict-failed"'],
  }),
  'a child whose outputs are approved, and name a run': () => ({ workflows: NAMED }),
  'a child whose outputs are edited, and name a run': () => ({
    workflows: NAMED,
    live: ({ top }, runId) =>
      answer(top, runId, 'call', { action: 'edit-accept', editedArtifactData: { made: `see ${runId}` } }),
    otherBranches: 'The edit names another run.',
  }),
  ...Object.fromEntries(
    ['write-then-read', 'cross-tenant-probe', 'ttl-probe'].map((memoryAction) => [
      `a ${memoryAction} in a child`,
      () => ({
        workflows: [
          line('parent', [child('call', 'probes')]),
          line('probes', [node('probe', 'core.identity', { memoryAction })]),
        ],
      }),
    ]),
  ),
};

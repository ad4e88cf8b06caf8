import { switchCapability } from '@baton/conformance/engine';
import { openVault } from '@baton/engine';
import {
  boss,
  edge,
  hand,
  look,
  node,
  remember,
  TERMINATE,
  waitingWorker,
  worker,
  workflow,
} from '../../../packages/conformance/src/testkit/workflows.ts';
import { answer, child, effect, gate, line, retry } from '../forking.ts';
import { CRITIC, dispatching, FAILED, GOOD, note, UNSURE } from './parts.ts';
import type { Life, Stories } from './story.ts';

/** Runs on a host that is another one by the time of the fork, and runs that are forks themselves. */

const from = (variableName: string) => ({ type: 'variable', variableName });
const sensitive = (name: string) => ({ name, type: 'string', sensitive: true });
const floor = (confidenceFloor: number) => ({ limits: { confidenceFloor } });

/** A host on which the node fails at first, until somebody tries the run again. */
function breaking(nodeId: string, times = 1) {
  let left = times;
  return {
    perform: async (given: { readonly nodeId: string }) =>
      given.nodeId === nodeId && left-- > 0
        ? ({ ...FAILED, retryable: false } as const)
        : ({ kind: 'done', outputs: {} } as const),
  };
}

const NOT_BROKEN = 'What broke in the source does not break again.';

async function triedAgain({ top }: Life, runId: string): Promise<string> {
  const again = await retry(top, runId);
  return again;
}

/** Values that only the host that recorded them can open. */
export const SEALED: Stories = {
  'sealed values, and what follows from them': () => ({
    workflows: [
      line(
        'pays',
        [
          node('set', 'vendor.baton.set', { assign: { copy: '"card-" + "4111"', open: 'variables.copy' } }),
          node('same', 'vendor.baton.set', { assign: { copy: '"card-" + "4111"' } }),
          { ...effect('pay'), inputs: { card: from('copy') }, outputSensitivity: { receipt: true } },
          { ...gate('ask', { actions: ['accept', 'edit-accept'] }), inputs: { card: from('copy') } },
          { ...remember('keep', { key: 'card' }), inputs: { content: from('copy') } },
          look('look'),
          child(
            'call',
            'child',
            { inputMapping: { card: 'copy' }, outputMapping: { open: 'made' } },
            { settings: { outputAttestation: { checksum: true } } },
          ),
        ],
        { variables: [sensitive('card'), sensitive('copy'), { name: 'open', type: 'string' }] },
      ),
      line('child', [node('make', 'vendor.baton.set', { assign: { made: '"made-" + "here"' } })], {
        variables: [sensitive('card'), sensitive('made')],
      }),
    ],
    begins: { inputs: { card: 'card-4111-1111-1111' } },
    host: {
      vault: openVault(new Map(), new Uint8Array(32).fill(1)),
      perform: async () => ({
        kind: 'done',
        outputs: { receipt: 'paid', card: 'card-4111-1111-1111' },
      }),
    },
    laterHost: { vault: openVault(new Map(), new Uint8Array(32).fill(2)) },
    shows: ['sealed:v1:'],
  }),
};

/** What is different on the host by the time of the replay, and must not be seen by it. */
export const CHANGED: Stories = {
  'workers that were refused and are registered by now': () => ({
    workflows: [
      line('parent', [
        child('call', 'boss'),
        child('sub', 'lost', {}, { settings: { retry: { maxRetries: 1 } } }),
      ]),
      boss([hand('missing', 'picky'), TERMINATE]),
      workflow('picky', [node('work', 'core.noop')], {
        variables: [{ name: 'topic', type: 'string', required: true }],
      }),
    ],
    ends: 'failed',
    shows: ['worker_not_found', 'input_missing'],
    later: (top) => top.register(worker('missing'), worker('picky'), worker('lost')),
  }),
  'a critic that was not there and is registered by now': () => ({
    workflows: [
      line('parent', [
        child(
          'call',
          'good',
          { onChildFailure: 'absorb' },
          { settings: { verifier: { workflowId: 'critic' } } },
        ),
      ]),
      GOOD,
    ],
    shows: ['verdict-failed'],
    later: (top) => top.register(worker('critic', { verdict: 'pass' })),
  }),
  'a child whose workflow is another one by now': () => ({
    workflows: [
      line('parent', [child('call', 'child', { outputMapping: { got: 'result' } })]),
      worker('child', { result: 'old' }),
    ],
    later: (top) => top.register(worker('child', { result: 'new' })),
  }),
  'children on a host with other limits and without chain events': () => ({
    workflows: [line('parent', [child('call', 'boss')]), boss([hand('good'), TERMINATE]), GOOD],
    laterHost: { limits: { nodeExecutions: 500 } },
    later: (top) => top.execute(switchCapability('multiAgent.executionModel', false)),
  }),
  'CONF-02 confidence that nobody was asked about, and would be by now': () => ({
    workflows: [dispatching({ verifier: { workflowId: 'critic' } }, [UNSURE, TERMINATE]), GOOD, CRITIC],
    host: floor(0.5),
    laterHost: floor(0.9),
    otherBranches: 'Somebody is asked.',
  }),
  'CONF-06 confidence that people were asked about, and would not be by now': () => ({
    workflows: [dispatching({ verifier: { workflowId: 'critic' } }, [UNSURE, TERMINATE]), GOOD, CRITIC],
    host: floor(0.9),
    laterHost: floor(0.5),
    shows: ['confidence-escalated'],
  }),
};

/** Runs that are forks themselves. */
export const AGAIN: Stories = {
  'a retry': () => ({
    workflows: [line('acts', [note('k'), effect('act'), look('look')])],
    host: breaking('act'),
    continued: triedAgain,
    otherBranches: NOT_BROKEN,
  }),
  'a retry of a retry': () => ({
    workflows: [line('acts', [effect('act')])],
    host: breaking('act', 2),
    continued: async (life, runId) => triedAgain(life, await triedAgain(life, runId)),
    otherBranches: NOT_BROKEN,
  }),
  'a retry of a dispatch node, which takes its decision again': () => ({
    workflows: [
      dispatching({ timeoutMs: 3000 }, [hand('asks'), TERMINATE], { outputMapping: { got: 'result' } }),
      waitingWorker('asks', { result: 'asked' }),
    ],
    live: ({ time }) => time.move(5000),
    continued: async (life, runId) => {
      const again = await triedAgain(life, runId);
      await answer(life.top, `${again}.1`, 'gate');
      return again;
    },
    otherBranches: NOT_BROKEN,
    shows: ['"next":"asked"'],
  }),
  'a retry beside which other nodes go on': () => ({
    workflows: [
      workflow('wide', [gate('first'), effect('act'), child('call', 'asks'), gate('beside')], {
        edges: [edge('first', 'act')],
      }),
      waitingWorker('asks'),
    ],
    host: breaking('act'),
    live: ({ top }, runId) => answer(top, runId, 'first'),
    continued: async (life, runId) => {
      const again = await triedAgain(life, runId);
      await answer(life.top, again, 'beside');
      await answer(life.top, `${again}.1`, 'gate');
      return again;
    },
    otherBranches: NOT_BROKEN,
  }),
  'a retry of a node whose child is judged': () => ({
    workflows: [
      line('parent', [child('call', 'work', {}, { settings: { verifier: { workflowId: 'critic' } } })]),
      line('work', [effect('first'), effect('last')]),
      CRITIC,
    ],
    host: breaking('last'),
    continued: triedAgain,
    otherBranches: NOT_BROKEN,
  }),
  'a retry of a node that waited for a child': () => ({
    workflows: [line('parent', [child('call', 'work')]), line('work', [effect('first'), effect('last')])],
    host: breaking('last'),
    continued: triedAgain,
    otherBranches: NOT_BROKEN,
  }),
};

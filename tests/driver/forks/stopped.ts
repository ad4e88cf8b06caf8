import { switchCapability } from '@baton/conformance/engine';
import {
  boss,
  edge,
  hand,
  LOOP_EDGES,
  node,
  waitingWorker,
  workflow,
} from '../../../packages/conformance/src/testkit/workflows.ts';
import { answer, child, effect, gate, line, quiet } from '../forking.ts';
import { cancel, dispatching, PARENT, QUITTER, SUPERVISED, wait } from './parts.ts';
import type { Stories } from './story.ts';

/** Runs of which something is over before it is done. */

const BREAKS = { condition: { expression: '1/0 == 1' } };
const NEVER = () => new Promise<never>(() => undefined);

/** What ends a run, or a part of it, before it is done. */
export const STOPPED: Stories = {
  'ATTEST-19 a child that is stopped at a gate': () => ({
    workflows: [
      line('outer', [child('call', 'inner', { onChildFailure: 'absorb' }), gate('end')]),
      line('inner', [
        child(
          'hand',
          'quitter',
          { outputMapping: { a: 'b' } },
          { settings: { outputAttestation: { requireApproval: true } } },
        ),
      ]),
      QUITTER,
    ],
    live: async (life, runId) => {
      await cancel('.1')(life, runId);
      await answer(life.top, runId, 'end');
    },
    shows: ['"type":"baton.merge.settled"', '"why":"stopped"'],
    otherBranches: 'Nobody cancels the child of the branch.',
  }),
  'a supervisor that is cancelled below, with its worker': () => ({
    workflows: [PARENT, ...SUPERVISED],
    live: cancel('.1'),
    otherBranches: 'Nobody cancels the child of the branch.',
  }),
  'a supervisor without chain events that is cancelled below': () => ({
    workflows: [PARENT, ...SUPERVISED],
    live: async (life, runId) => {
      await life.top.execute(switchCapability('multiAgent.executionModel', false));
      await cancel('.1')(life, runId);
    },
    otherBranches: 'Nobody cancels the child of the branch.',
  }),
  'a child that is cancelled where one page of its log ends': () => ({
    workflows: [
      line('parent', [child('call', 'long', { onChildFailure: 'absorb' })]),
      line('long', [...Array.from({ length: 126 }, (_, at) => node(`n${at}`, 'core.noop')), gate('ask')]),
    ],
    live: cancel('.1'),
    shows: [':257","runId"'],
    otherBranches: 'Nobody cancels the child of the branch.',
  }),
  'a condition that throws while an effect is under way': () => ({
    workflows: [
      workflow('breaks', [effect('call'), node('first', 'core.noop'), node('second', 'core.noop')], {
        edges: [edge('first', 'second', BREAKS)],
      }),
    ],
    host: { perform: NEVER },
    ends: 'failed',
  }),
  'a condition that throws while workers are under way, two levels below': () => ({
    workflows: [
      workflow(
        'boss',
        [
          node('supervisor', 'core.orchestrator.supervisor', { script: [hand('middle')] }),
          node('dispatch', 'core.dispatch'),
          wait('wait', 1000),
          node('first', 'core.noop'),
          node('second', 'core.noop'),
        ],
        { edges: [...LOOP_EDGES, edge('wait', 'first'), edge('first', 'second', BREAKS)] },
      ),
      { ...boss([hand('waits')]), id: 'middle' },
      waitingWorker('waits'),
    ],
    answers: { gate: null },
    ends: 'failed',
    shows: ['"type":"run.cancelled"'],
  }),
  'a run whose time is over while its worker is under way': () => ({
    workflows: [{ ...SUPERVISED[0], settings: { timeout: 3000 } }, waitingWorker('waits')],
    answers: { gate: null },
    ends: 'failed',
  }),
  'a node whose time is over while its worker is under way': () => ({
    workflows: [dispatching({ timeoutMs: 3000 }, [hand('waits')]), waitingWorker('waits')],
    answers: { gate: null },
    ends: 'failed',
    shows: ['"node_timeout"'],
  }),
  'an outcome that comes when its time is already over': () => {
    let now = 0;
    let comeBack = () => {};
    const back = new Promise<void>((resolve) => {
      comeBack = resolve;
    });
    return {
      workflows: [
        line('late', [effect('call', { settings: { timeoutMs: 1000 } }), node('end', 'core.noop')]),
      ],
      host: {
        clock: { now: () => now, at: () => () => {} },
        perform: async () => {
          await back;
          return { kind: 'done', outputs: { answer: 1 } };
        },
      },
      live: async () => {
        now += 5000;
        comeBack();
        await quiet();
      },
      otherBranches: 'Their outcomes come in time.',
    };
  },
  'a node that has to wait until what it reads is stored': () => {
    let now = 0;
    return {
      workflows: [
        line('waits', [
          node('put', 'vendor.baton.workspace.write', { path: 'a.md', content: 'x' }),
          node('get', 'vendor.baton.workspace.read', { path: 'a.md' }),
        ]),
      ],
      host: {
        clock: { now: () => now, at: () => () => {} },
        wrap: (store) => ({
          ...store,
          commit: (slices) => {
            now += 7;
            return store.commit(slices);
          },
        }),
      },
      otherBranches: 'Files are shared, and branches write them again.',
    };
  },
};

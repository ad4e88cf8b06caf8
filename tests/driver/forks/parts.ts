import {
  boss,
  hand,
  LOOP_EDGES,
  node,
  remember,
  TERMINATE,
  waitingWorker,
  worker,
  workflow,
} from '../../../packages/conformance/src/testkit/workflows.ts';
import { child, line, quiet } from '../forking.ts';
import { CALLER } from '../test-engine.ts';
import type { Life } from './story.ts';

/** What several stories are made of. */

type Config = Record<string, unknown>;

export const wait = (id: string, ms = 4000) => node(id, 'core.delay', { ms });
export const note = (key: string, more: Config = {}) =>
  remember(`note-${key}`, { key, content: 'x', ...more });
export const cancel =
  (which: string) =>
  async ({ top }: Life, runId: string) => {
    await top.execute({ kind: 'cancel-run', caller: CALLER, runId: runId + which, reason: 'enough' });
    await quiet();
  };
export const dispatching = (settings: Config, plan: readonly unknown[], config: Config = {}) =>
  workflow(
    'boss',
    [
      node('supervisor', 'core.orchestrator.supervisor', { script: plan }),
      node('dispatch', 'core.dispatch', config, { settings }),
    ],
    { edges: LOOP_EDGES },
  );
export const CRITIC = worker('critic', { verdict: 'pass', confidence: 0.7 });
export const UNSURE = { ...hand('good'), confidence: 0.7 };
export const GOOD = worker('good', { text: 'fine' });
export const SUPERVISED = [boss([hand('waits'), TERMINATE]), waitingWorker('waits')];
export const PARENT = line('parent', [child('call', 'boss', { onChildFailure: 'absorb' })]);
export const QUITTER = {
  ...boss([{ kind: 'terminate', successCriteria: [{ key: 'done', met: false }] }]),
  id: 'quitter',
};

export const FAILED = { kind: 'failed', error: { code: 'outside_broke', message: 'as told' } } as const;

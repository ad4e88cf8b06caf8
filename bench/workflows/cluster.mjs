import { supervisorOf } from './handoff.mjs';
import { NOOP } from './single-node.mjs';

/** A call of a model, and a loop that takes long enough to be cancelled. */

export const ASKS = 'bench-asks';
export const ASKS_WORKFLOW = {
  id: ASKS,
  nodes: [
    {
      id: 'ask',
      typeId: 'core.ai.callPrompt',
      config: { provider: 'slow', model: 'slow' },
      inputs: { prompt: { type: 'variable', variableName: 'question' } },
    },
  ],
  variables: [{ name: 'question', type: 'string' }],
};

export const LONG_LOOP = 'bench-long-loop';
export const LONG_LOOP_WORKFLOW = supervisorOf(LONG_LOOP, NOOP, 12_000, {});

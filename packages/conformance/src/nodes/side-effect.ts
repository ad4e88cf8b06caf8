import { isPending, type NodeType } from '@baton/engine/extension';
import { Ordinal } from '@baton/protocol';
import Type from 'typebox';

const Config = Type.Object(
  {
    /** How many effects the node performs in all; 1 by default. */
    times: Type.Optional(Ordinal),
    /** How many of them it asks for at the start; 1 by default. */
    atOnce: Type.Optional(Ordinal),
    /** How often an effect is tried. */
    tries: Type.Optional(Ordinal),
  },
  { additionalProperties: true },
);

/** The smallest node that performs effects. Its outputs are those of the effect that was settled last. */
export const sideEffect: NodeType = {
  typeId: 'core.conformance.side-effect',
  config: Config,
  start: ({ inputs, config }) => {
    const { times = 1, atOnce = 1, tries } = config as Type.Static<typeof Config>;
    const retry = tries === undefined ? {} : { retry: { tries, ...BACK_OFF } };
    const effect = { kind: 'conformance.side-effect', request: inputs, ...retry };
    return { do: 'perform', effects: new Array(Math.min(times, atOnce)).fill(effect) };
  },
  outcome: ({ config, steps, step, outputs }) => {
    const { times = 1 } = config as Type.Static<typeof Config>;
    if (steps.length < times) return { do: 'perform', effects: [step.effect] };
    return steps.some(isPending) ? { do: 'perform', effects: [] } : { do: 'complete', outputs };
  },
};

const BACK_OFF = { backoffMs: 100, maxBackoffMs: 1000 };

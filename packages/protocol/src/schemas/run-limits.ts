import Type from 'typebox';
import { Ordinal } from './numbers.ts';

/** The limits a run was started under. Recorded, so that a later change of the host's settings alters no run. */
export const RunLimits = Type.Object(
  {
    nodeExecutions: Ordinal,
    durationMs: Ordinal,
    loopIterations: Ordinal,
  },
  { additionalProperties: false },
);
export type RunLimits = Type.Static<typeof RunLimits>;

import Type from 'typebox';
import { Ordinal } from './numbers.ts';

/** The limits a run was started under. Recorded, so that a later change of the host's settings alters no run. */
export const RunLimits = Type.Object(
  {
    nodeExecutions: Ordinal,
    durationMs: Ordinal,
    loopIterations: Ordinal,
    /** Steps that the expressions of one node may take together. Older runs were started without. */
    expressionSteps: Type.Optional(Ordinal),
    /** Characters that variables, channels and outputs of nodes may have together. */
    stateCharacters: Type.Optional(Ordinal),
    variables: Type.Optional(Ordinal),
    logEvents: Type.Optional(Ordinal),
    /** Runs of one tree that have not ended. */
    treeRuns: Type.Optional(Ordinal),
  },
  { additionalProperties: false },
);
export type RunLimits = Type.Static<typeof RunLimits>;

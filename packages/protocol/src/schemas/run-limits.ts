import Type from 'typebox';
import { Ordinal } from './numbers.ts';

/** The limits of a run. They are recorded, so that a change of the host's settings does not alter them. */
export const RunLimits = Type.Object(
  {
    nodeExecutions: Ordinal,
    durationMs: Ordinal,
    loopIterations: Ordinal,
    /** Steps that the expressions of one node may take together. */
    expressionSteps: Ordinal,
    /** Characters of the variables, channels and outputs of nodes together. */
    stateCharacters: Ordinal,
    variables: Ordinal,
    logEvents: Ordinal,
    /** Runs of one tree that have not ended. */
    treeRuns: Ordinal,
  },
  { additionalProperties: false },
);
export type RunLimits = Type.Static<typeof RunLimits>;

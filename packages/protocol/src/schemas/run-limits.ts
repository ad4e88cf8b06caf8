import Type from 'typebox';
import { Ordinal } from './numbers.ts';

/** The limits of a run. They are recorded, so that a change of the host's settings does not alter them. */
export const RunLimits = Type.Object(
  {
    nodeExecutions: Ordinal,
    durationMs: Ordinal,
    loopIterations: Ordinal,
    /** Steps that the expressions of one node may take together. Absent in older runs. */
    expressionSteps: Type.Optional(Ordinal),
    /** Characters of the variables, channels and outputs of nodes together. */
    stateCharacters: Type.Optional(Ordinal),
    variables: Type.Optional(Ordinal),
    logEvents: Type.Optional(Ordinal),
    /** Runs of one tree that have not ended. */
    treeRuns: Type.Optional(Ordinal),
  },
  { additionalProperties: false },
);
export type RunLimits = Type.Static<typeof RunLimits>;

import Type from 'typebox';

/** The limits a run was started under. Recorded, so that a later change of the host's settings alters no run. */
export const RunLimits = Type.Object(
  {
    nodeExecutions: Type.Integer({ minimum: 1 }),
    durationMs: Type.Integer({ minimum: 1 }),
    loopIterations: Type.Integer({ minimum: 1 }),
    /** Steps that the expressions of one node may take together. Older runs were started without. */
    expressionSteps: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Characters that variables, channels and outputs of nodes may have together. */
    stateCharacters: Type.Optional(Type.Integer({ minimum: 1 })),
    variables: Type.Optional(Type.Integer({ minimum: 1 })),
    logEvents: Type.Optional(Type.Integer({ minimum: 1 })),
    /** Runs of one tree that have not ended. */
    treeRuns: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { additionalProperties: false },
);
export type RunLimits = Type.Static<typeof RunLimits>;

import Type from 'typebox';

export const RunParams = Type.Object({ runId: Type.String() });
export type RunParams = Type.Static<typeof RunParams>;

/** One run. Ids have no colon, so that `/v1/runs/{runId}:verb` is never mistaken for an id. */
export const RUN = '/v1/runs/:runId(^[^:/]+)';

/** For addresses such as `/v1/runs/{runId}:pause`: the id is what stands before the colon. */
export const RUN_BEFORE_COLON = `${RUN}::`;

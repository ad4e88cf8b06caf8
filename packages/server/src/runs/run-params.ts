import Type from 'typebox';

export const RunParams = Type.Object({ runId: Type.String() });
export type RunParams = Type.Static<typeof RunParams>;

/** The address of one run. Ids have no colon, so `/v1/runs/{runId}:verb` is never read as an id. */
export const RUN = '/v1/runs/:runId(^[^:/]+)';

/** For addresses such as `/v1/runs/{runId}:pause`. The id ends at the colon. */
export const RUN_BEFORE_COLON = `${RUN}::`;

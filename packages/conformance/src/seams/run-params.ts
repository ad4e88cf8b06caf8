import Type from 'typebox';

export const RunParams = Type.Object({ runId: Type.String() });
export type RunParams = Type.Static<typeof RunParams>;

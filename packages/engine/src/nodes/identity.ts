import Type from 'typebox';
import type { NodeType } from '../kernel/model.ts';

/** Hands its inputs on as outputs. */
export const identity: NodeType = {
  typeId: 'core.identity',
  config: Type.Object({}, { additionalProperties: true }),
  start: ({ inputs }) => ({ do: 'complete', outputs: inputs }),
};

import Type from 'typebox';
import type { NodeType } from '../kernel/model.ts';

/** Its outputs are its inputs. */
export const identity: NodeType = {
  typeId: 'core.identity',
  config: Type.Object({}, { additionalProperties: true }),
  start: ({ inputs }) => ({ do: 'complete', outputs: inputs }),
};

import Type from 'typebox';
import type { NodeType } from '../kernel/model.ts';

/** Stands for a type that a stored definition names and this host does not have: a run that comes to it fails there. */
export function absentType(typeId: string): NodeType {
  return {
    typeId,
    config: Type.Object({}, { additionalProperties: true }),
    requires: [`node type ${typeId}`],
    start: () => ({ do: 'complete' }),
  };
}

import Type from 'typebox';
import type { NodeType } from '../kernel/model.ts';

/**
 * Used for a type that a stored definition names and this host does not have. Such a node fails when it
 * starts.
 */
export function absentType(typeId: string): NodeType {
  return {
    typeId,
    config: Type.Object({}, { additionalProperties: true }),
    requires: [`node type ${typeId}`],
    start: () => ({ do: 'complete' }),
  };
}

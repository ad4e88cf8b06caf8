import Type from 'typebox';
import { completeNode } from '../kernel/execute.ts';
import { forgetEntry } from '../kernel/memory/changes.ts';
import { catchUp } from '../kernel/memory/shared-scope.ts';
import type { NodeType } from '../kernel/node-type.ts';
import type { Turn } from '../kernel/turn.ts';
import { fieldsOf, LONGEST_KEY, refuse } from './memory-fields.ts';

const Fields = Type.Object(
  { key: Type.Optional(Type.String({ minLength: 1, maxLength: LONGEST_KEY })) },
  { additionalProperties: false },
);
type Fields = Type.Static<typeof Fields>;

/** Forgets the entry under `key`, whoever wrote it; forgetting what is not there is fine. */
export const memoryForget: NodeType = {
  typeId: 'vendor.baton.memory.forget',
  config: Fields,
  start: () => ({ do: 'act', act: proceed }),
  proceed,
};

function proceed(turn: Turn, nodeId: string): boolean {
  const memory = catchUp(turn);
  if (memory !== 'current') return memory === 'moved';
  const asked = fieldsOf<Fields>(turn, nodeId, Fields);
  if (asked === undefined) return true;
  const { node, fields } = asked;
  if (fields.key === undefined) {
    refuse(turn, node, 'there is no key to forget', 'key');
    return true;
  }
  const version = forgetEntry(turn, nodeId, fields.key);
  completeNode(turn, nodeId, { memoryId: fields.key, version });
  return true;
}

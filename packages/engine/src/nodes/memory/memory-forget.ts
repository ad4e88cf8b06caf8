import Type from 'typebox';
import { completeNode } from '../../kernel/execute.ts';
import { forgetEntry } from '../../kernel/memory/changes.ts';
import { LONGEST_KEY, memoryNode, refuse } from './memory-fields.ts';

const Fields = Type.Object(
  { key: Type.Optional(Type.String({ minLength: 1, maxLength: LONGEST_KEY })) },
  { additionalProperties: false },
);
type Fields = Type.Static<typeof Fields>;

/**
 * Forgets the entry with this `key`, even if another run wrote it. An entry that does not exist is no error.
 */
export const memoryForget = memoryNode<Fields>(
  'vendor.baton.memory.forget',
  Fields,
  (working, node, fields) => {
    if (fields.key === undefined) {
      refuse(working, node, 'there is no key to forget', 'key');
      return true;
    }
    const version = forgetEntry(working, node.id, fields.key);
    completeNode(working, node.id, { memoryId: fields.key, version });
    return true;
  },
);

import Type from 'typebox';
import { assign, completeNode } from '../../kernel/execute.ts';
import { entryOf } from '../../kernel/memory/entry.ts';
import { recall } from '../../kernel/memory/recall.ts';
import { LONGEST_KEY, LONGEST_TAG, memoryNode } from './memory-fields.ts';

const DEFAULT_LIMIT = 100;
const MOST_ENTRIES = 1000;

const Fields = Type.Object(
  {
    key: Type.Optional(Type.String({ minLength: 1, maxLength: LONGEST_KEY })),
    tag: Type.Optional(Type.String({ minLength: 1, maxLength: LONGEST_TAG })),
    search: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_ENTRIES })),
    into: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  },
  { additionalProperties: false },
);
type Fields = Type.Static<typeof Fields>;

/** Reads entries, newest first: one by its `key`, or those with a `tag` or with a text in their content. */
export const memoryRead = memoryNode<Fields>(
  'vendor.baton.memory.read',
  Fields,
  (working, { id: nodeId }, fields) => {
    const { key, tag, search, limit = DEFAULT_LIMIT, into } = fields;
    const rows = recall(working, {
      ...(key !== undefined && { id: key }),
      ...(tag !== undefined && { tag }),
      ...(search !== undefined && { text: search }),
      limit,
    });
    if (rows === 'unknown') return false;
    const entries = rows.map(entryOf);
    if (into !== undefined) assign(working, nodeId, { [into]: entries });
    completeNode(working, nodeId, { entries });
    return true;
  },
);

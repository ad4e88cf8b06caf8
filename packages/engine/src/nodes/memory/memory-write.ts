import { eventId, type Json, MAX_MEMORY_BYTES, runError } from '@baton/protocol';
import Type from 'typebox';
import { completeNode, failNode } from '../../kernel/execute.ts';
import { writeEntry } from '../../kernel/memory/changes.ts';
import { recordedAbout } from '../../kernel/replay/source.ts';
import { LONGEST_KEY, LONGEST_TAG, MOST_TAGS, memoryNode, refuse } from './memory-fields.ts';

/** A hundred years. A larger number was probably meant as milliseconds. */
const LONGEST_TTL_SECONDS = 100 * 365 * 24 * 60 * 60;

const Fields = Type.Object(
  {
    key: Type.Optional(Type.String({ minLength: 1, maxLength: LONGEST_KEY })),
    content: Type.Optional(Type.Unsafe<Json>({})),
    tags: Type.Optional(Type.Array(Type.String({ maxLength: LONGEST_TAG }), { maxItems: MOST_TAGS })),
    ttlSeconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: LONGEST_TTL_SECONDS })),
  },
  { additionalProperties: false },
);
type Fields = Type.Static<typeof Fields>;

/** Writes `content` with the id `key`, or with a new id. Content that is not text is stored as JSON. */
export const memoryWrite = memoryNode<Fields>(
  'vendor.baton.memory.write',
  Fields,
  (working, node, fields) => {
    if (fields.content === undefined) {
      refuse(working, node, 'there is no content to remember', 'content');
      return true;
    }
    const content = typeof fields.content === 'string' ? fields.content : JSON.stringify(fields.content);
    const bytes = bytesOf(content);
    if (bytes > MAX_MEMORY_BYTES) {
      const message = `Node "${node.id}": content has ${bytes} bytes; an entry holds at most ${MAX_MEMORY_BYTES}`;
      failNode(working, node, runError('memory_too_large', message, { field: 'content' }), false);
      return true;
    }
    const { run, tree } = working;
    // A replay uses the id that its source wrote the entry with.
    const recorded = fields.key === undefined ? recordedAbout(working, node.id, 'memory.written') : undefined;
    if (recorded === 'unknown') return false;
    const id = fields.key ?? recorded?.payload.memoryId ?? eventId(run.runId, run.head);
    const version = writeEntry(working, node.id, {
      id,
      content,
      tags: [...new Set(fields.tags)].filter((tag) => tag !== ''),
      ...(fields.ttlSeconds && { expiresAt: tree.world.now + Math.ceil(fields.ttlSeconds * 1000) }),
    });
    completeNode(working, node.id, { memoryId: id, version });
    return true;
  },
);

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

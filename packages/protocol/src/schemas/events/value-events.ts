import Type from 'typebox';
import { Count } from '../numbers.ts';
import { Any, closed, Id } from '../parts.ts';

/** Events that change the variables and channels of a run. */

export const VALUE_EVENT_PAYLOADS = {
  'channel.written': Type.Object(
    {
      channel: Type.String({ minLength: 1, maxLength: 256 }),
      value: Any,
      reducer: Type.String(),
      nodeId: Type.Optional(Id),
      writtenAt: Type.String({ format: 'date-time' }),
    },
    closed,
  ),
  /** Entries were removed from a channel because of its age or size limit. The newest `keep` entries stay. */
  'baton.channel.trimmed': Type.Object({ channel: Id, keep: Count }, closed),
  'variable.changed': Type.Object({ name: Id, next: Type.Optional(Any), nodeId: Type.Optional(Id) }, closed),
} as const;

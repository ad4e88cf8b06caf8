import Type from 'typebox';
import type { RunError } from '../errors.ts';
import type { Json } from '../json.ts';
import type { TerminalStatus } from '../status.ts';

/** Schemas of fields that several documents and events have. */

export const closed = { additionalProperties: false };
export const Any = Type.Unsafe<Json>({});
export const Bag = Type.Unsafe<Readonly<Record<string, Json>>>({ type: 'object' });
export const Id = Type.String({ minLength: 1 });
export const AgentId = Type.String({ minLength: 3, maxLength: 256 });
export const Checksum = Type.String({ pattern: '^[0-9a-f]{64}$' });
export const EndStatus = Type.Unsafe<TerminalStatus>({ enum: ['completed', 'failed', 'cancelled'] });

export const ErrorObject = Type.Unsafe<RunError>({
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', minLength: 1 },
    message: { type: 'string', minLength: 1 },
    details: { type: 'object' },
  },
  additionalProperties: false,
});

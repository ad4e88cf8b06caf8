import type { Message } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError } from '@a2a-js/sdk/errors';
import {
  BatonError,
  isJsonObject,
  type Json,
  type JsonObject,
  parse,
  TRACEPARENT_PATTERN,
} from '@baton/protocol';
import Type from 'typebox';
import type { Skill } from '../published/skills.ts';

/** Reads the message of a caller. The SDK has made it of JSON without checking it. */

const Id = Type.String({ pattern: '^[\\x21-\\x7e]{1,200}$' });
const OptionalId = Type.Union([Type.Literal(''), Id]);

const MessageShape = Type.Object({
  messageId: Id,
  contextId: OptionalId,
  taskId: OptionalId,
  parts: Type.Array(Type.Object({ content: Type.Optional(Type.Unknown()) }), { minItems: 1, maxItems: 100 }),
});

/** The content of a message: at most one object, and a text. */
export interface Content {
  readonly data?: JsonObject;
  readonly text?: string;
}

export function requireMessage(message: Message | undefined): Message {
  parse(MessageShape, message, 'message');
  return message as Message;
}

/** An id of a task or of a push configuration. */
export function requireId(id: unknown, field: string): string {
  return parse(Id, id, field);
}

export function contentOf({ parts }: Message): Content {
  const texts: string[] = [];
  let data: JsonObject | undefined;
  for (const { content } of parts) {
    if (content?.$case === 'text' && typeof content.value === 'string') {
      texts.push(content.value);
    } else if (content?.$case === 'data') {
      if (data !== undefined || !isJsonObject(content.value)) {
        throw new BatonError(
          'validation_error',
          'message.parts must hold at most one data part, an object.',
          {
            field: 'message.parts',
          },
        );
      }
      data = content.value;
    } else {
      throw new ContentTypeNotSupportedError({ message: 'Send text parts and one data part, and no files.' });
    }
  }
  return { ...(data && { data }), ...(texts.length > 0 && { text: texts.join('\n') }) };
}

/**
 * The inputs of a run: the data part, and the text under the name that the skill reads it from. For an agent this is
 * `task`; for a workflow its variable `task`, or else its only variable of the type string.
 */
export function inputsFor({ definition, agent }: Skill, { data = {}, text }: Content): JsonObject {
  if (text === undefined) return data;
  const strings = (definition.variables ?? [])
    .filter(({ type }) => type === 'string')
    .map(({ name }) => name);
  const name = agent || strings.includes('task') ? 'task' : strings.length === 1 ? strings[0] : undefined;
  if (name === undefined) {
    throw new BatonError('validation_error', 'This skill takes no text; send its inputs as a data part.', {
      field: 'message.parts',
    });
  }
  return { [name]: text, ...data };
}

/** The skill that the metadata of a message asks for. */
export function skillAsked({ metadata }: Message): string | undefined {
  const asked: unknown = metadata?.skillId;
  if (asked === undefined) return undefined;
  if (typeof asked === 'string' && asked.length <= 256) return asked;
  throw new BatonError('validation_error', 'message.metadata.skillId must be the id of a skill.', {
    field: 'message.metadata.skillId',
  });
}

const TRACEPARENT = new RegExp(TRACEPARENT_PATTERN);

/** The trace context in the metadata of a message. A malformed one is ignored, as the standard requires. */
export function tracedBy({ metadata }: Message): string | undefined {
  const openwop = metadata?.openwop as Json | undefined;
  const given = isJsonObject(openwop) ? openwop.traceparent : undefined;
  return typeof given === 'string' && TRACEPARENT.test(given) ? given : undefined;
}

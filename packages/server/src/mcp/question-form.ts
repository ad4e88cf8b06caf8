import { isJsonObject, type Json, type JsonObject } from '@baton/protocol';
import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import type { OpenQuestion } from '../published/open-question.ts';
import { questionText } from '../published/open-question.ts';

/** An interrupt as a form, which MCP clients show to a person. A form has only texts, numbers and choices. */

type Field = ElicitRequestFormParams['requestedSchema']['properties'][string];

/** Actions of an approval that need nothing beside them but a comment. */
const PLAIN_ACTIONS = ['accept', 'reject'];

/** `undefined` for an interrupt that a form cannot express, such as an external event. */
export function formFor({ kind, data }: OpenQuestion): ElicitRequestFormParams | undefined {
  switch (kind) {
    case 'approval':
      return approvalForm(data, isJsonObject(data) && Array.isArray(data.actions) ? data.actions : []);
    case 'low-confidence':
      return approvalForm(data, PLAIN_ACTIONS);
    case 'clarification':
      return clarificationForm(data);
    case 'external-event':
    case 'custom':
      return undefined;
  }
}

function approvalForm(data: Json, actions: readonly Json[]): ElicitRequestFormParams | undefined {
  const plain = PLAIN_ACTIONS.filter((action) => actions.includes(action));
  if (plain.length === 0) return undefined;
  const fields = {
    action: { type: 'string', title: 'Decision', enum: plain },
    comment: { type: 'string', title: 'Comment' },
  } as const;
  return form(questionText(data) ?? 'The run asks for an approval.', fields, ['action']);
}

function clarificationForm(data: Json): ElicitRequestFormParams | undefined {
  const questions = isJsonObject(data) && Array.isArray(data.questions) ? data.questions : [];
  const fields = questions.filter(isJsonObject).map((asked) => [String(asked.id), fieldFor(asked)] as const);
  if (fields.length === 0 || fields.some(([, field]) => field === undefined)) return undefined;
  const properties = Object.fromEntries(fields) as Record<string, Field>;
  return form(questionText(data) ?? 'The run asks a question.', properties, Object.keys(properties));
}

function form(
  message: string,
  properties: Readonly<Record<string, Field>>,
  required: readonly string[],
): ElicitRequestFormParams {
  return {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { ...properties }, required: [...required] },
  };
}

/** The host checks the answer against the whole schema of the question. */
function fieldFor({ question, schema }: JsonObject): Field | undefined {
  const title = String(question);
  const type = isJsonObject(schema) ? schema.type : 'string';
  switch (type) {
    case 'string': {
      const choices = isJsonObject(schema) && Array.isArray(schema.enum) ? schema.enum : [];
      const isChoice = choices.length > 0 && choices.every((choice) => typeof choice === 'string');
      return isChoice ? { type, title, enum: choices as string[] } : { type, title };
    }
    case 'number':
    case 'integer':
    case 'boolean':
      return { type, title };
    default:
      return undefined;
  }
}

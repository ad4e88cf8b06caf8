import { type InterruptKind, isJsonObject, type JsonObject } from '@baton/protocol';

/**
 * The answer to an interrupt, as the engine takes it. The voter of an approval is always the authenticated caller, so a
 * voter in the answer is ignored. The answers of a clarification may be given with or without `answers` around them.
 */
export function answerOf(kind: InterruptKind, given: JsonObject): JsonObject {
  switch (kind) {
    case 'approval':
    case 'low-confidence': {
      const { voter: _claimed, ...answer } = given;
      return answer;
    }
    case 'clarification':
      return isJsonObject(given.answers) ? given : { answers: given };
    case 'external-event':
    case 'custom':
      return given;
  }
}

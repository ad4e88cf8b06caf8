import { type ModelText, SaidParts } from '@baton/engine/ports';
import { type Json, problemWith } from '@baton/protocol';
import Type from 'typebox';

/** An answer that is kept for other runs. Only accepted answers are kept, so it was not cut off. */
const Kept = Type.Object({
  text: Type.String(),
  usage: Type.Object({
    inputTokens: Type.Integer({ minimum: 0 }),
    outputTokens: Type.Integer({ minimum: 0 }),
  }),
  /** Absent if the answer is only `text`. */
  parts: Type.Optional(SaidParts),
});

export function toKeep({ text, usage, parts }: ModelText): Json {
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  return { text, usage: { inputTokens, outputTokens }, ...(parts && { parts: [...parts] }) };
}

/** A stored answer that cannot be read is ignored. */
export function keptAnswer(stored: Json | undefined): ModelText | undefined {
  if (stored === undefined || problemWith(Kept, stored)) return undefined;
  const { text, usage, parts } = stored as Type.Static<typeof Kept>;
  return { kind: 'text', text, stopReason: 'end', usage, ...(parts && { parts }) };
}

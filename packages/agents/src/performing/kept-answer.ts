import type { ModelText } from '@baton/engine/ports';
import { type Json, problemWith } from '@baton/protocol';
import Type from 'typebox';

/** An answer that is kept for other runs. Only accepted answers are kept, so it was not cut off. */
const Kept = Type.Object({
  text: Type.String(),
  usage: Type.Object({
    inputTokens: Type.Integer({ minimum: 0 }),
    outputTokens: Type.Integer({ minimum: 0 }),
  }),
});

export function toKeep({ text, usage }: ModelText): Json {
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  return { text, usage: { inputTokens, outputTokens } };
}

/** A stored answer that cannot be read is ignored. */
export function keptAnswer(stored: Json | undefined): ModelText | undefined {
  if (stored === undefined || problemWith(Kept, stored)) return undefined;
  const { text, usage } = stored as Type.Static<typeof Kept>;
  return { kind: 'text', text, stopReason: 'end', usage };
}

import type { ModelText } from '@baton/engine/ports';
import { type Json, problemWith } from '@baton/protocol';
import Type from 'typebox';

/** An answer as it is kept for other runs: only ones that were taken, so it ended by itself. */
const Kept = Type.Object({
  text: Type.String(),
  usage: Type.Object({
    inputTokens: Type.Integer({ minimum: 0 }),
    outputTokens: Type.Integer({ minimum: 0 }),
  }),
});

export function toKeep({ text, usage }: ModelText): Json {
  return { text, usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens } };
}

/** One that cannot be read is as good as none. */
export function keptAnswer(stored: Json | undefined): ModelText | undefined {
  if (stored === undefined || problemWith(Kept, stored)) return undefined;
  const { text, usage } = stored as Type.Static<typeof Kept>;
  return { kind: 'text', text, stopReason: 'end', usage };
}

import type { ModelAnswerReads, ModelAnswerRecord } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';

/** The first answer for a key is kept, so that equal requests get equal answers. */
export function modelAnswerWriter(database: Database): (record: ModelAnswerRecord) => void {
  const keep = database.prepare(
    `INSERT INTO model_answers (tenant, cache_key, answer, at) VALUES (?, ?, ?, ?)
     ON CONFLICT (tenant, cache_key) DO NOTHING`,
  );
  return ({ tenant, cacheKey, answer, at }) => {
    keep.run(tenant, cacheKey, JSON.stringify(answer), at);
  };
}

export function modelAnswerReads(database: Database): ModelAnswerReads {
  const find = database.prepare<{ answer: string }>(
    'SELECT answer FROM model_answers WHERE tenant = ? AND cache_key = ?',
  );
  return {
    modelAnswer: async (tenant, cacheKey) => {
      const row = find.get(tenant, cacheKey);
      return row && JSON.parse(row.answer);
    },
  };
}

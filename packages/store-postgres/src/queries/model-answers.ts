import type { ModelAnswerReads, ModelAnswerRecord } from '@baton/engine/ports';
import type { Json } from '@baton/protocol';
import { type Statement, statement } from '../commit/statement.ts';
import type { Database } from '../database/database.ts';

/** The first answer for a key is kept, so that equal requests get equal answers. */
export function writeModelAnswers(records: readonly ModelAnswerRecord[]): readonly Statement[] {
  if (records.length === 0) return [];
  const rows = records.map(({ tenant, cacheKey, answer, at }) => ({
    tenant,
    cacheKey,
    answer: JSON.stringify(answer),
    at,
  }));
  return [statement(KEEP, JSON.stringify(rows))];
}

export function modelAnswerReads(database: Database): ModelAnswerReads {
  return {
    modelAnswer: async (tenant, cacheKey) => {
      const row = await database.row<{ answer: string }>(FIND, tenant, cacheKey);
      return row && (JSON.parse(row.answer) as Json);
    },
  };
}

/** The rows are locked in the order of their keys. */
const KEEP = `
  INSERT INTO model_answers (tenant, cache_key, answer, at)
  SELECT tenant, "cacheKey", answer, at
  FROM json_to_recordset($1::json) AS given (tenant text, "cacheKey" text, answer text, at bigint)
  ORDER BY tenant COLLATE "C", "cacheKey" COLLATE "C"
  ON CONFLICT (tenant, cache_key) DO NOTHING`;

const FIND = 'SELECT answer FROM model_answers WHERE tenant = $1 AND cache_key = $2';

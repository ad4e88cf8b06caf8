import { EVENT_PAYLOADS, RunEventSchema } from '@baton/protocol';
import { PRODUCT_NODES } from '../../nodes/index.ts';

/** Words that the host itself writes into logs. A secret with such a value would be redacted there too. */
const WORDS = JSON.stringify([
  EVENT_PAYLOADS,
  RunEventSchema,
  PRODUCT_NODES.ids,
  '[REDACTED:]',
  'sealed:v1:',
]);

export function isHostWord(text: string): boolean {
  return WORDS.includes(text);
}

import { EVENT_PAYLOADS, RunEventSchema } from '@baton/protocol';
import { PRODUCT_NODES } from '../../nodes/index.ts';

/** What the host itself writes into logs: a secret that reads the same would take the meaning out of them. */
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

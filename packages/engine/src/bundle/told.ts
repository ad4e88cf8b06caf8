import type { Json, JsonObject, RunEvent } from '@baton/protocol';
import { type Redactor, redactPayload } from '../kernel/secrecy/redaction.ts';
import { MASK, maskText } from './mask.ts';

/** The texts of a bundle: without the secrets of the tenant, and with credentials masked. */
export interface Told {
  event(text: string): string;
  /** Any other JSON. */
  json(text: string): string;
  /** True when a value was replaced, here or before it was stored. */
  redacted(): boolean;
}

/** The beginning of all texts that replace hidden values. */
const REDACTED = MASK.slice(0, -1);

export function toldBy(redactor: Redactor | undefined): Told {
  let redacted = false;
  const tell = (text: string): string => {
    const shown = maskText(text);
    redacted ||= shown.includes(REDACTED);
    return shown;
  };
  return {
    event(text) {
      if (redactor === undefined || redactor.redactText(text) === text) return tell(text);
      const event = JSON.parse(text) as RunEvent;
      const body = JSON.stringify(event.payload);
      return tell(
        JSON.stringify({
          ...event,
          payload: redactPayload(redactor, event.payload as JsonObject, body).payload,
        }),
      );
    },
    json(text) {
      if (redactor === undefined || redactor.redactText(text) === text) return tell(text);
      return tell(JSON.stringify(redactor.redactJson(JSON.parse(text) as Json)));
    },
    redacted: () => redacted,
  };
}

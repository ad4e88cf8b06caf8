import type { Json, JsonObject, RunEvent } from '@baton/protocol';
import { type Redactor, redactPayload } from '../kernel/secrecy/redaction.ts';
import { MASK, maskText } from './mask.ts';

/** What leaves the host in a bundle: without the secrets of its tenant, and with credentials masked. */
export interface Told {
  event(text: string): string;
  /** Any other JSON. */
  json(text: string): string;
  /** Something of what was told stands for something else. */
  redacted(): boolean;
}

/** How everything begins that was put in the place of something else, here or before it was stored. */
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

import type { Redactor } from '../../kernel/secrecy/redaction.ts';

/** A text that comes in parts, without the secrets in it. */
interface RedactedChunks {
  add(chunk: string): void;
  /** The text is complete. */
  end(): void;
}

/**
 * Removes secrets from a text that comes in parts. A secret may begin in one part and end in another, so the
 * end of the text is held back until it is known that no secret begins there. `redactor` is asked for each
 * part, because secrets may be added meanwhile.
 */
export function redactedChunks(
  redactor: () => Pick<Redactor, 'openEnd' | 'redactText'> | undefined,
  tell: (chunk: string) => void,
): RedactedChunks {
  let held = '';

  /** The longest beginning of the text after which no secret can go on. Secrets may overlap. */
  function safeLength({ openEnd, redactText }: Pick<Redactor, 'openEnd' | 'redactText'>): number {
    const whole = redactText(held);
    for (let cut = held.length - openEnd(held); cut > 0; cut -= 1) {
      if (redactText(held.slice(0, cut)) + redactText(held.slice(cut)) === whole) return cut;
    }
    return 0;
  }

  return {
    add(chunk) {
      held += chunk;
      const present = redactor();
      const length = present === undefined ? held.length : safeLength(present);
      if (length === 0) return;
      const safe = held.slice(0, length);
      held = held.slice(length);
      tell(present?.redactText(safe) ?? safe);
    },
    end() {
      if (held !== '') tell(redactor()?.redactText(held) ?? held);
      held = '';
    },
  };
}

import type { Redactor } from '../../kernel/secrecy/redaction.ts';

/** A text that comes in parts, without the secrets in it. */
interface RedactedChunks {
  add(chunk: string): void;
  /** The text is complete. */
  end(): void;
}

/**
 * Removes secrets from a text that comes in parts. A secret may begin in one part and end in another, so the
 * end of the text is held back until it is known that no secret begins there.
 */
export function redactedChunks(
  { openEnd, redactText }: Pick<Redactor, 'openEnd' | 'redactText'>,
  tell: (chunk: string) => void,
): RedactedChunks {
  let held = '';

  /** The longest beginning of the text after which no secret can go on. Secrets may overlap. */
  function safeLength(): number {
    const whole = redactText(held);
    for (let cut = held.length - openEnd(held); cut > 0; cut -= 1) {
      if (redactText(held.slice(0, cut)) + redactText(held.slice(cut)) === whole) return cut;
    }
    return 0;
  }

  return {
    add(chunk) {
      held += chunk;
      const length = safeLength();
      if (length === 0) return;
      tell(redactText(held.slice(0, length)));
      held = held.slice(length);
    },
    end() {
      if (held !== '') tell(redactText(held));
      held = '';
    },
  };
}

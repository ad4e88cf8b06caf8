import type { Redactor } from '../../kernel/secrecy/redaction.ts';
import { HIDDEN } from '../../kernel/secrecy/sealed.ts';

/** No single secret is as long. Only secrets that overlap without end can make a longer text wait. */
const LONGEST_HELD = 262_144;

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
  redactor: () => Pick<Redactor, 'safeLength' | 'redactText'> | undefined,
  tell: (chunk: string) => void,
): RedactedChunks {
  let held = '';

  return {
    add(chunk) {
      held += chunk;
      const present = redactor();
      const length = present?.safeLength(held) ?? held.length;
      if (length === 0) {
        if (held.length <= LONGEST_HELD) return;
        held = '';
        return tell(HIDDEN);
      }
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

import { digest } from '@baton/protocol';

/** The id of the message that an effect sends. It is also the idempotency key of a handoff. */
export function messageIdOf(effectKey: string): string {
  return digest(effectKey);
}

import { createHmac } from 'node:crypto';
import type { HostContext } from '../http/context.ts';
import { createInterruptTokens, type InterruptTokens } from '../interrupts/token.ts';

/**
 * The state that a client carries from a question to its answer: an HMAC over tenant, run, interrupt and expiry. The
 * key is another one than that of the signed links. Otherwise the state would be a link, with which everybody can
 * answer.
 */
export function requestStates({
  pushKey,
  settings,
}: Pick<HostContext, 'pushKey' | 'settings'>): InterruptTokens {
  const key = createHmac('sha256', pushKey).update('request state of MCP').digest();
  return createInterruptTokens(key, settings.tokenTtlMs, Date.now);
}

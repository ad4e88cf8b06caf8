import { createHmac } from 'node:crypto';

/** The secret with which the peer signs its report about the work of a run. */
export function pushSecret(key: Buffer, runId: string): string {
  return `whsec_${createHmac('sha256', key).update(`pushed ${runId}`).digest('base64')}`;
}

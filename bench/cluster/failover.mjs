import { acrossHosts } from './across.mjs';
import { idleHosts } from './idle.mjs';
import { takeover } from './takeover.mjs';

/** Several hosts over one Postgres: what happens when one fails, what they see of each other, and what they cost. */
export async function failover(context) {
  return [...(await takeover(context)), ...(await acrossHosts(context)), ...(await idleHosts(context))];
}

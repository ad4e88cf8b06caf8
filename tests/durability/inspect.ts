import type { Store, StoreReads } from '@baton/engine/ports';
import { type Expected, eventText, PRINCIPAL, TENANT } from './workload.ts';

/** Everything in the store that differs from what is expected, in words. */
export async function differences(
  { heads, replies }: Expected,
  store: Store,
  reads: StoreReads,
): Promise<string[]> {
  const found: string[] = [];
  for (const row of (await reads.runs({ tenant: TENANT, limit: 10_000 })).items) {
    if (!heads.has(row.runId)) found.push(`run ${row.runId} should not be there`);
  }
  for (const [runId, head] of heads) {
    const row = await reads.run(TENANT, runId);
    if (row?.head !== head) found.push(`run ${runId} has head ${row?.head} instead of ${head}`);
    const events = await reads.events(TENANT, runId, 0, head + 1);
    if (events.length !== head) found.push(`run ${runId} has ${events.length} events instead of ${head}`);
    if (events.some((event, sequence) => event !== eventText(runId, sequence))) {
      found.push(`run ${runId} has events that were never written`);
    }
  }
  for (const key of replies) {
    if ((await store.replyFor(TENANT, PRINCIPAL, key)) === undefined) found.push(`${key} is lost`);
  }
  if ((await store.replyFor(TENANT, PRINCIPAL, `reply${replies.size}`)) !== undefined)
    found.push('a reply too many');
  return found;
}

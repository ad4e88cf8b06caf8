import { CONTRACTS } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';

/** Counting more rows of an index would hold up other requests. */
const MOST_COUNTED = 200_000;

export const countRunsRoute: Routes = (app, { reads }) => {
  bind(app, CONTRACTS.countRuns, async (request) => {
    const counts = await reads.runCounts(identityOf(request).tenant, MOST_COUNTED);
    return counts.total < MOST_COUNTED ? counts : { ...counts, capped: true };
  });
};

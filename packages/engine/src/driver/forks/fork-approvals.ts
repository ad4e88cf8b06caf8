import { BatonError, type PayloadOf, type Scope } from '@baton/protocol';
import { foldToRead } from '../../fold.ts';
import { sameJson } from '../../kernel/graph/same-json.ts';
import { firstCovered } from '../../kernel/people/grants.ts';
import { holdsScope, narrowScopes } from '../../kernel/people/scopes.ts';
import type { Run } from '../../kernel/run.ts';
import type { RunRow, Store } from '../../ports/store.ts';
import { stepAt } from './fork-history.ts';
import type { ForkRequest } from './fork-request.ts';
import { type Covered, coveredBelow } from './grants-below.ts';

/**
 * A grant before the cut of a branch is only for the values of that time (see `kernel/people/grants.ts`). So
 * a branch that changes values after a grant is refused. The caller must branch before the node that asked,
 * or have the right to override approvals.
 */

const OVERRIDE: Scope = 'approvals:override';

export type Overridden = PayloadOf<'baton.run.branched'>['overridden'];

/** The grant that the branch overrides, to be recorded with it. `undefined` when it overrides none. */
export async function overriddenBy(
  store: Store,
  source: RunRow,
  state: Run,
  place: number,
  request: ForkRequest,
): Promise<Overridden> {
  if (!changesValues(state, request)) return undefined;
  const covered = await firstCoverage(store, source, state, place);
  if (covered === undefined) return undefined;
  const { runId, index } = covered;
  const earliestApproval = await stepAt(store, runId, index);
  const { by } = request;
  if (by !== undefined && holdsScope(by.scopes, OVERRIDE)) {
    return { by: by.principal, runId, earliestApproval };
  }
  throw refusal(covered, runId === source.runId, earliestApproval);
}

/**
 * A child that is started again alone, from index 0, has the values that its parent gave it. If they were
 * changed, grants in the runs above would not cover the new values. So this is refused like a branch after an
 * approval.
 */
export async function refuseOtherBeginning(
  store: Store,
  { parentRunId, runId }: RunRow,
  place: number,
  { overlay = {}, by }: ForkRequest,
): Promise<void> {
  const { variables = {}, configurable = {} } = overlay;
  if (parentRunId === undefined || Object.keys({ ...variables, ...configurable }).length === 0) return;
  if (by !== undefined && holdsScope(by.scopes, OVERRIDE)) return;
  const parent = await store.storedRunAt(parentRunId, await store.headAt(parentRunId, place));
  const covered = parent && (await firstCoverage(store, parent.row, foldToRead(parent), place));
  if (covered === undefined) return;
  throw refusal(covered, covered.runId === runId, await stepAt(store, covered.runId, covered.index));
}

function changesValues(state: Run, { overlay = {}, by }: ForkRequest): boolean {
  const { variables = {}, configurable = {} } = overlay;
  const differs = (given: object, now: Run['variables']) =>
    Object.entries(given).some(([name, value]) => !sameJson(now[name], value));
  return (
    differs(variables, state.variables) ||
    differs(configurable, state.configurable) ||
    !sameScopes(state.scopes, narrowScopes(state.scopes, by?.scopes))
  );
}

function sameScopes(one: Run['scopes'], other: Run['scopes']): boolean {
  if (one === undefined || other === undefined) return one === other;
  return new Set(one).size === new Set(other).size && other.every((scope) => one.includes(scope));
}

/** The first grant in the run, in the runs below it, or in a run above it, which it got its values from. */
async function firstCoverage(
  store: Store,
  source: RunRow,
  state: Run,
  place: number,
): Promise<Covered | undefined> {
  const own = firstCovered(state);
  if (own !== undefined) return { runId: source.runId, index: own, isCertain: true };
  const below = await coveredBelow(store, source, place);
  if (below !== undefined || source.parentRunId === undefined) return below;
  const head = await store.headAt(source.parentRunId, place);
  const parent = await store.storedRunAt(source.parentRunId, head);
  return parent && firstCoverage(store, parent.row, foldToRead(parent), place);
}

function refusal({ runId, isCertain }: Covered, isOwn: boolean, earliestApproval: number): BatonError {
  const where = isOwn ? 'this run' : `run ${runId}`;
  const why = isCertain
    ? `an approval, a verdict or a question in ${where} is about the values that the branch would change`
    : `the runs below ${where} have too many events to show that nothing was approved for the present values`;
  const way = isOwn
    ? `Branch at index ${earliestApproval} or before`
    : `Branch run ${runId} at index ${earliestApproval} or before`;
  const message = `Before this index ${why}. ${way}, so that it is asked again, or use a key with the scope "${OVERRIDE}".`;
  return new BatonError('forbidden', message, { scope: OVERRIDE, runId, earliestApproval });
}

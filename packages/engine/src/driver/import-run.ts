import { BatonError, type BundledTree, type RunEvent, type WorkflowDefinition } from '@baton/protocol';
import { type ReadBundle, type ReadRun, readBundle, rowOf } from '../bundle/read-bundle.ts';
import type { ImportRunCommand } from '../commands.ts';
import { checkDefinition } from '../kernel/graph/registration.ts';
import { NODE_TYPE_IDS, nodeType } from '../nodes/index.ts';
import type { RunAdvance, RunRecord, Slice, Store } from '../ports/store.ts';
import { linkBefore } from './chain-link.ts';
import { done } from './replies.ts';
import type { Toggles } from './toggles.ts';
import { definitionDigest } from './workflows.ts';
import type { Outcome } from './workshop.ts';

/**
 * Takes in a tree that another host has written: as history, which nothing here will ever move, but which can be
 * read, audited, forked and replayed. All of it, or nothing.
 */
export async function importRun(
  { store, toggles }: { readonly store: Store; readonly toggles: Toggles },
  given: ImportRunCommand,
): Promise<Outcome & { readonly slice: Slice }> {
  const { tenant } = given.caller;
  const bundle = readBundle(given.bundle);
  const fresh = await notYetHere(store, bundle, tenant);
  await refuseTakenScopes(store, bundle.tree, tenant);
  await keepDefinitions(store, toggles, bundle, fresh);
  const { rootId, verified } = bundle;
  const steps = stepsOf(fresh);
  return {
    reply: done({ kind: 'imported', runId: rootId, runs: fresh.length, verified }),
    slice: {
      rootId,
      runs: fresh.map((one) => advanceOf(one, tenant)),
      order: orderOf(fresh),
      ...(steps && { steps }),
      restored: { tenant, scopes: bundle.tree.memory },
      wake: { at: null, unfinished: false },
    },
  };
}

/** A source may be here already, if it is the same up to where it is shared; nothing else may. */
async function notYetHere(store: Store, { runs }: ReadBundle, tenant: string): Promise<readonly ReadRun[]> {
  const fresh: ReadRun[] = [];
  const taken: string[] = [];
  for (const one of runs) {
    const { runId, part, fork } = one.run;
    const row = await store.run(runId);
    const head = (fork?.fromSeq ?? 0) + one.texts.length;
    if (row === undefined) fresh.push(one);
    else if (part === 'tree' || row.tenant !== tenant || row.head < head) taken.push(runId);
    else if ((await linkBefore(store, runId, head)) !== one.after) taken.push(runId);
  }
  if (taken.length > 0) throw new BatonError('run_exists', undefined, { runIds: taken });
  return fresh;
}

async function refuseTakenScopes(store: Store, { memory }: BundledTree, tenant: string): Promise<void> {
  for (const { scope } of memory) {
    if ((await store.scope(tenant, scope)) === undefined) continue;
    throw new BatonError(
      'run_exists',
      `This host has memory in "${scope}" already, which the bundle would replace.`,
      {
        scope,
      },
    );
  }
}

/** What the runs were started with must be there, be what its digest says, and be something this host can run. */
async function keepDefinitions(
  store: Store,
  toggles: Toggles,
  { tree }: ReadBundle,
  runs: readonly ReadRun[],
): Promise<void> {
  const features = {
    dispatchMapping: toggles.isOn('agents.dispatchMapping'),
    subWorkflowInputMapping: toggles.isOn('subWorkflow.inputMapping'),
  };
  for (const digest of digestsOf(runs)) {
    const given = Object.hasOwn(tree.definitions, digest) ? tree.definitions[digest] : undefined;
    if (given === undefined || definitionDigest(given as unknown as WorkflowDefinition) !== digest) {
      throw new BatonError('bundle_invalid', `The bundle lacks the definition ${digest}, or has another.`);
    }
    checkDefinition(given, features, nodeType, NODE_TYPE_IDS);
    await store.putDefinition(digest, JSON.stringify(given));
  }
}

function digestsOf(runs: readonly ReadRun[]): ReadonlySet<string> {
  const digests = new Set<string>();
  for (const { run, texts } of runs) {
    const first = (run.fork?.fromSeq ?? 0) === 0 ? texts[0] : undefined;
    const event = first === undefined ? undefined : (JSON.parse(first) as RunEvent);
    if (event?.type === 'run.started') digests.add(event.payload.definition);
  }
  return digests;
}

function advanceOf({ run, texts, after }: ReadRun, tenant: string): RunAdvance {
  const expectedHead = run.fork?.fromSeq ?? 0;
  const { status, updatedAt, head: _head, goalMet, ...record } = rowOf(run, tenant, 0);
  return {
    runId: run.runId,
    expectedHead,
    created: record satisfies RunRecord,
    events: texts,
    status,
    chain: after,
    ...(goalMet !== undefined && { goalMet }),
    at: updatedAt,
    interruptsOpened: [],
    interruptsClosed: [],
  };
}

/** The order in which everything happened where it comes from. */
function orderOf(runs: readonly ReadRun[]): readonly number[] {
  return inOrder(runs).map(({ index }) => index);
}

/** Where in that order steps begin, if every run says. */
function stepsOf(runs: readonly ReadRun[]): readonly number[] | undefined {
  if (runs.some(({ run }) => run.steps === undefined)) return undefined;
  return inOrder(runs).flatMap(({ starts }, at) => (starts ? [at] : []));
}

function inOrder(runs: readonly ReadRun[]) {
  const placed = runs.flatMap(({ run }, index) => {
    const steps = new Set(run.steps);
    return run.places.map((place, at) => ({ place, index, starts: steps.has(at) }));
  });
  return placed.sort((a, b) => a.place - b.place);
}

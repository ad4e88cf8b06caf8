import {
  BatonError,
  type EventOf,
  type JsonObject,
  mayBeIllFormed,
  type RunEvent,
  requireWellFormed,
  type WorkflowDefinition,
} from '@baton/protocol';
import type { PublicKey } from '../audit/signing-key.ts';
import { definitionDigest } from '../driver/workflows.ts';
import { refuseConfigurable } from '../kernel/configurable.ts';
import { checkDefinition } from '../kernel/graph/registration.ts';
import { type NodeTypes, PRODUCT_NODES } from '../nodes/index.ts';
import type { WorkflowRecord } from '../ports/reads/workflows.ts';
import type { BundleContents } from '../ports/store.ts';
import { checkedMemory } from './checked-memory.ts';
import { openedSlices } from './opened-slices.ts';
import { type ReadBundle, readBundle } from './read-bundle.ts';
import { orRefused, refused } from './refused.ts';

/**
 * Verifies a bundle and prepares its runs for an empty store, in which they can be read, compared and forked. This
 * takes time and memory for a large bundle, and a forged one may ask for any amount of both: call it where it can be
 * stopped.
 */
interface Opening {
  /** The text of a debug bundle, as it was received. */
  readonly text: string;
  /** The tenant to which the runs will belong. */
  readonly tenant: string;
  /** One of these keys has to have signed the bundle. Empty: anybody may have written it. */
  readonly trusted: readonly PublicKey[];
  /** Those of the product when not given. */
  readonly nodes?: NodeTypes | undefined;
}

interface OpenedBundle {
  readonly summary: BundleSummary;
  readonly contents: BundleContents;
}

/** What a reader is told of a bundle that is in order. */
export interface BundleSummary {
  readonly runId: string;
  readonly workflowId: string;
  /** As on the host that wrote the bundle. */
  readonly status: string;
  readonly runs: number;
  readonly events: number;
  readonly host: { readonly name: string; readonly version: string };
  readonly generatedAt: string;
  /** Every log has a hash chain that leads to its end, and no event was masked. */
  readonly verified: boolean;
  /** The trusted key that signed the bundle. */
  readonly signedBy?: string;
}

export function openBundle({ text, tenant, trusted, nodes = PRODUCT_NODES }: Opening): OpenedBundle {
  const bundle = readBundle(parsed(text), trusted);
  const { main, tree, runs, verified, signedBy, host, generatedAt } = bundle;
  if (trusted.length > 0 && signedBy === undefined) {
    throw refused(
      `is not signed with ${trusted.map(({ keyId }) => keyId).join(' or ')}, or was changed since`,
    );
  }
  const contents = {
    tenant,
    workflows: workflowsOf(bundle, tenant, nodes),
    scopes: checkedMemory(tree.memory),
    slices: openedSlices(runs, tenant),
  };
  const summary = {
    runId: main.runId,
    workflowId: main.workflowId,
    status: main.status,
    runs: runs.length,
    events: runs.reduce((sum, { texts }) => sum + texts.length, 0),
    host,
    generatedAt,
    verified,
    ...(signedBy !== undefined && { signedBy }),
  };
  return { summary, contents };
}

function parsed(text: string): unknown {
  const value = orRefused(() => notJson(text), 'a text');
  if (mayBeIllFormed(text)) requireWellFormed(value, 'The bundle');
  return value;
}

function notJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused('is not valid JSON; it may have been cut off');
  }
}

/** All features are allowed, even those that this host has switched off: the definition was accepted elsewhere. */
const EVERYTHING = { dispatchMapping: true, subWorkflowInputMapping: true };

/** The definition of each run must be in the bundle, match its digest, and be readable by this host. */
function workflowsOf(
  { tree, runs }: ReadBundle,
  tenant: string,
  nodes: NodeTypes,
): BundleContents['workflows'] {
  const found = new Map<string, Omit<WorkflowRecord, 'version'>>();
  const byVersion = [...runs].sort((a, b) => a.run.workflowVersion - b.run.workflowVersion);
  for (const { run, texts } of byVersion) {
    const first = (run.fork?.fromSeq ?? 0) === 0 ? texts[0] : undefined;
    const event = first === undefined ? undefined : (JSON.parse(first) as RunEvent);
    if (event?.type !== 'run.started') continue;
    const { definition: digest } = event.payload;
    const given = Object.hasOwn(tree.definitions, digest) ? tree.definitions[digest] : undefined;
    const { workflowId: id, createdAt } = run;
    if (!found.has(digest)) {
      found.set(digest, { tenant, id, digest, definition: definitionText(digest, given, nodes), createdAt });
    }
    if (given) refuseOptions(given, event);
  }
  return [...found.values()];
}

/** The options of a run cannot be checked when a value in them was redacted. */
const TAKEN_OUT = '[REDACTED';

/** Refuses options that the workflow of a root run does not allow. A child has the options of its parent. */
function refuseOptions(definition: JsonObject, { runId, payload }: EventOf<'run.started'>): void {
  const { configurable, parentRunId } = payload;
  if (parentRunId !== undefined || JSON.stringify(configurable ?? {}).includes(TAKEN_OUT)) return;
  try {
    refuseConfigurable(definition as unknown as WorkflowDefinition, configurable);
  } catch (problem) {
    if (!(problem instanceof BatonError)) throw problem;
    throw refused(`holds run ${runId} with options that its workflow does not allow (${problem.message})`);
  }
}

function definitionText(digest: string, given: JsonObject | undefined, nodes: NodeTypes): string {
  const found = orRefused(
    () => given && definitionDigest(given as unknown as WorkflowDefinition),
    `a definition (${digest})`,
  );
  if (found !== digest) throw refused(`lacks the definition ${digest}, or has a different one`);
  checkDefinition(given, EVERYTHING, nodes.of, nodes.ids);
  return JSON.stringify(given);
}

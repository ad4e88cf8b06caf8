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
import type { Caller } from '../commands.ts';
import { definitionDigest } from '../driver/workflows.ts';
import { refuseConfigurable } from '../kernel/configurable.ts';
import { checkDefinition } from '../kernel/graph/registration.ts';
import type { Redactor } from '../kernel/secrecy/redaction.ts';
import { type NodeTypes, PRODUCT_NODES } from '../nodes/index.ts';
import type { Slice } from '../ports/store.ts';
import { arrivingRuns } from './arriving-runs.ts';
import { arrivingMemory } from './bundled-memory.ts';
import { freshNames } from './fresh-names.ts';
import type { ImportResult } from './import-result.ts';
import { importSlices } from './import-slices.ts';
import { type ReadBundle, readBundle } from './read-bundle.ts';
import { orRefused, refused } from './refused.ts';

/**
 * Turns a bundle into slices to store. The imported runs get new ids and never continue, but can be read,
 * audited and replayed. This takes time for a large bundle, so call it on a thread that serves no other
 * requests.
 */
interface ImportOrder {
  /** The text of a debug bundle, as it was received. */
  readonly text: string;
  readonly caller: Caller;
  readonly at: number;
  readonly newId: () => string;
  readonly redactor?: Redactor | undefined;
  /** The public keys of this host and of the hosts that it trusts. */
  readonly knownKeys: readonly PublicKey[];
  /** Those of the product when not given. */
  readonly nodes?: NodeTypes | undefined;
}

interface PreparedImport {
  readonly result: ImportResult;
  /** To be stored in this order. The last slice makes the tree visible. */
  readonly slices: readonly Slice[];
}

export function prepareImport(order: ImportOrder): PreparedImport {
  const { caller, at, newId, redactor, knownKeys, nodes = PRODUCT_NODES } = order;
  const bundle = readBundle(parsed(order.text), knownKeys);
  const definitions = definitionsOf(bundle, redactor, nodes);
  const names = freshNames(bundle.mainId, newId);
  const runs = arrivingRuns(bundle, { names, redactor }, { tenant: caller.tenant, by: caller.principal, at });
  const scopes = arrivingMemory(bundle.tree.memory, names, redactor);
  const rootId = names.inText(bundle.mainId);
  const { verified, vouchedBy, mainId } = bundle;
  return {
    result: {
      runId: rootId,
      from: mainId,
      runs: runs.length,
      verified,
      ...(vouchedBy !== undefined && { vouchedBy }),
    },
    slices: importSlices({ rootId, tenant: caller.tenant, runs, definitions, scopes }),
  };
}

function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BatonError('invalid_json');
  }
  if (mayBeIllFormed(text)) requireWellFormed(value, 'The bundle');
  return value;
}

/**
 * All features are allowed, even those that this host has switched off: an imported definition is read and
 * never run.
 */
const EVERYTHING = { dispatchMapping: true, subWorkflowInputMapping: true };

/** The definition of each run must be in the bundle, match its digest, and be readable by this host. */
function definitionsOf({ tree, runs }: ReadBundle, redactor: Redactor | undefined, nodes: NodeTypes) {
  const found = new Map<string, string>();
  for (const { run, texts } of runs) {
    const first = (run.fork?.fromSeq ?? 0) === 0 ? texts[0] : undefined;
    const event = first === undefined ? undefined : (JSON.parse(first) as RunEvent);
    if (event?.type !== 'run.started') continue;
    const { definition: digest } = event.payload;
    const given = Object.hasOwn(tree.definitions, digest) ? tree.definitions[digest] : undefined;
    if (!found.has(digest)) found.set(digest, definitionText(digest, given, redactor, nodes));
    if (given) refuseOptions(given, event);
  }
  return [...found].map(([digest, definition]) => ({ digest, definition }));
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

function definitionText(
  digest: string,
  given: JsonObject | undefined,
  redactor: Redactor | undefined,
  nodes: NodeTypes,
): string {
  const found = orRefused(
    () => given && definitionDigest(given as unknown as WorkflowDefinition),
    `a definition (${digest})`,
  );
  if (found !== digest) throw refused(`lacks the definition ${digest}, or has a different one`);
  checkDefinition(given, EVERYTHING, nodes.of, nodes.ids);
  const text = JSON.stringify(given);
  // A definition is identified by its digest, so a secret cannot be removed from it.
  if (redactor && redactor.redactText(text) !== text) {
    throw refused(`has a definition (${digest}) that holds the value of a secret of this host`);
  }
  return text;
}

import {
  type EffectIntent,
  type EventType,
  eventId,
  illFormedAt,
  type JsonObject,
  type MemoryLayer,
  type PayloadOf,
  type RunEvent,
  type RunLimits,
  wellFormed,
} from '@baton/protocol';
import type { MemoryChange, MemoryQuery, MemoryRow } from '../ports/memory.ts';
import type { ForkPoint } from '../ports/store.ts';
import { evolve } from './fold/evolve.ts';
import { adopt } from './fold/evolve-fork.ts';
import type { Owned } from './fold/evolve-values.ts';
import type { Plan } from './graph/plan.ts';
import { newSource, type Source, type SourceWant } from './replay/source.ts';
import type { Run } from './run.ts';
import { redactPayload } from './secrecy/redaction.ts';
import { sealFor, sealPayload } from './secrecy/sensitivity.ts';
import type { Vault } from './secrecy/vault.ts';

/** A workflow as a child would be started with it: the newest version at this moment. */
export interface ResolvedWorkflow {
  readonly version: number;
  readonly plan: Plan;
}

/** What the kernel is told about the world for the length of one slice. */
export interface World extends Vault {
  readonly now: number;
  /** `now` as it is written into events. */
  readonly timestamp: string;
  readonly limits: RunLimits;
  readonly maxDepth: number;
  readonly maxEventBytes: number;
  readonly chainEvents: boolean;
  /** Decisions less sure than this are put before a person. */
  readonly confidenceFloor: number;
  readonly provides: ReadonlySet<string>;
  /** `unknown` while the driver has not looked it up yet; it will, and call again. */
  workflow(tenant: string, id: string): ResolvedWorkflow | 'absent' | 'unknown';
  /** Whether a replay performs this effect too, to compare: only models are ever asked again. */
  asksAgain(effect: EffectIntent, models: 'recorded' | 'live'): boolean;
  /** Memory as it is stored, so without what this slice adds. `unknown` as above, here and below. */
  memory(query: MemoryQuery): readonly MemoryRow[] | 'unknown';
  /** How many versions of a scope are stored. */
  scopeVersion(tenant: string, scope: string): number | 'unknown';
  /** The tenant's workspace as it is now, or nothing where there never was a file. */
  workspace(tenant: string): MemoryLayer | undefined | 'unknown';
  /** Stored events of a run from a sequence on. */
  transcript(runId: string, from: number, limit: number): readonly TranscriptLine[] | 'unknown';
  /** How many of the latest events a supervisor's turn is given. */
  readonly transcriptWindow: number;
}

export interface TranscriptLine {
  readonly sequence: number;
  readonly type: string;
  readonly nodeId?: string;
}

/** What a step has to know before it can go on. The driver finds out, and calls again. */
export type Want =
  | { readonly kind: 'workflow'; readonly tenant: string; readonly id: string }
  | { readonly kind: 'memory'; readonly query: MemoryQuery }
  | { readonly kind: 'scope'; readonly tenant: string; readonly scope: string }
  | { readonly kind: 'transcript'; readonly runId: string; readonly from: number; readonly limit: number }
  | SourceWant;

/** A root run and its descendants that have not ended: the unit of ownership and of slices. */
export interface Tree {
  readonly rootId: string;
  readonly turns: Map<string, Turn>;
  /** Runs to look at, the last one first. */
  readonly agenda: string[];
  readonly wanted: Want[];
  /** Effects that a replay has come to and that are performed again. */
  readonly asking: Set<string>;
  /** Tokens that a replay's source has in the place of this host's, where this host cannot open them. */
  readonly foreignSeals: Map<string, string>;
  /** Checksums of values that hold names of runs, each with the one that a replay's source has in its place. */
  readonly namedChecksums: Map<string, string>;
  /** What the slice does to memory, in the order it happened. */
  changes: MemoryChange[];
  /** Scopes that an earlier slice changed which is not stored yet, each with the version it started from. */
  readonly handedOver: Map<string, number>;
  /** How many slices were taken that are not stored yet. */
  slicesUnderWay: number;
  /** A step wants to read what is not stored yet: the slice ends, and the step is taken again after it. */
  awaitsCommit: boolean;
  /** Steps that conditions have taken so far, by their meters. */
  work: number;
  /** The search for what can start was interrupted, so that others can have a turn. */
  resting: boolean;
  world: World;
  /** Size of the slice so far. */
  events: number;
  bytes: number;
  /** Whose events the slice holds, in the order they happened: that order is part of what is stored. */
  happened: Turn[];
  /** Where in `happened` a step begins. */
  steps: number[];
  /** Texts of the slice that held half of a character, and were recorded with U+FFFD in its place. */
  replaced: ReplacedText[];
}

export interface ReplacedText {
  readonly eventId: string;
  readonly type: EventType;
  readonly field: string;
}

/** One run within a slice: where it was, where it is, and the facts in between. */
export interface Turn {
  readonly tree: Tree;
  readonly plan: Plan;
  base: Run | undefined;
  run: Run;
  texts: string[];
  /** The nodes that were found unable to start in this very state. */
  searched?: { readonly run: Run; readonly nodes: number };
  /** Where the run was forked from, while it is not stored yet. */
  readonly point?: ForkPoint;
  /** The state at the fork point, while it is not stored yet. */
  readonly inherited?: Run;
  /** What a replay follows. */
  source?: Source;
}

/** A node produced more than one event may hold. */
export class EventTooLargeError extends Error {
  readonly bytes: number;
  constructor(type: string, bytes: number, limit: number) {
    super(`${type} would hold ${bytes} bytes; the limit is ${limit}`);
    this.name = 'EventTooLargeError';
    this.bytes = bytes;
  }
}

/** Whatever is recorded meanwhile belongs together. */
export function asStep<T>(tree: Tree, act: () => T): T {
  const at = tree.happened.length;
  const result = act();
  if (tree.happened.length > at) tree.steps.push(at);
  return result;
}

/** Records a fact: encodes it once, folds it, and answers with its id. */
export function emit<T extends EventType>(
  turn: Turn,
  type: T,
  payload: PayloadOf<T>,
  nodeId?: string,
  causationId?: string,
  own?: Owned,
): string {
  const { runId, head, tenant } = turn.run;
  const { world } = turn.tree;
  const recorded = recordable(world, turn.plan, tenant, type, payload);
  const encoded = encode(world, runId, head, type, recorded, nodeId, causationId);
  turn.run = evolve(turn.run, encoded.event, world.now, own);
  turn.texts.push(encoded.text);
  turn.tree.happened.push(turn);
  turn.tree.events += 1;
  turn.tree.bytes += encoded.text.length;
  noteReplaced(turn.tree, encoded.event, recorded);
  return encoded.event.eventId;
}

/** The first fact of a run, which makes its turn. */
export function openTurn(
  tree: Tree,
  plan: Plan,
  runId: string,
  payload: PayloadOf<'run.started'>,
  causationId?: string,
  point?: ForkPoint,
): Turn {
  const recorded = recordable(tree.world, plan, payload.owner.tenant, 'run.started', payload);
  const { event, text } = encode(tree.world, runId, 0, 'run.started', recorded, undefined, causationId);
  const first = evolve(undefined, event, tree.world.now);
  const turn: Turn = {
    tree,
    plan,
    base: undefined,
    run: point ? adopt(first, point) : first,
    texts: [text],
    ...(point && { point }),
    ...(point?.fork.mode === 'replay' && { source: newSource() }),
  };
  tree.turns.set(runId, turn);
  tree.happened.push(turn);
  tree.events += 1;
  tree.bytes += text.length;
  noteReplaced(tree, event, recorded);
  return turn;
}

interface Recordable {
  readonly payload: JsonObject;
  readonly text: string;
  /** The field that held half of a character. */
  readonly replaced?: string | undefined;
}

function noteReplaced(tree: Tree, { eventId, type }: RunEvent, { replaced: field }: Recordable): void {
  if (field !== undefined) tree.replaced.push({ eventId, type, field });
}

/**
 * Sensitive values are sealed, secrets redacted and half characters replaced here, where nobody can get past: only
 * this is folded.
 */
function recordable<T extends EventType>(
  world: World,
  { sensitivity }: Plan,
  tenant: string,
  type: T,
  given: PayloadOf<T>,
): Recordable {
  const clean = settleText(given as unknown as JsonObject);
  const redactor = world.redactor(tenant);
  if (sensitivity === undefined && redactor === undefined) return clean;
  const { replaced } = clean;
  const sealed = sensitivity ? sealedWith(world, sensitivity, tenant, type, clean.payload) : clean;
  const recorded = redactor === undefined ? sealed : redactPayload(redactor, sealed.payload, sealed.text);
  return replaced === undefined ? recorded : { ...recorded, replaced };
}

function sealedWith(
  world: World,
  sensitivity: NonNullable<Plan['sensitivity']>,
  tenant: string,
  type: EventType,
  given: JsonObject,
): Recordable {
  const payload = sealPayload(sensitivity, sealFor(world, tenant), type, given as never) as JsonObject;
  return { payload, text: JSON.stringify(payload) };
}

/** A look at the text is enough to see that all of it is well-formed, as it nearly always is. */
function settleText(given: JsonObject): Recordable {
  const text = JSON.stringify(given);
  const replaced = text.includes(HALF_ESCAPED) ? illFormedAt(given) : undefined;
  if (replaced === undefined) return { payload: given, text };
  const payload = wellFormed(given);
  return { payload, text: JSON.stringify(payload), replaced };
}

/** How `JSON.stringify` begins what it writes for half of a character. */
const HALF_ESCAPED = '\\ud';

function encode(
  world: World,
  runId: string,
  sequence: number,
  type: EventType,
  { payload, text: body }: Recordable,
  nodeId: string | undefined,
  causationId: string | undefined,
): { event: RunEvent; text: string } {
  const id = eventId(runId, sequence);
  if (body.length > world.maxEventBytes) throw new EventTooLargeError(type, body.length, world.maxEventBytes);
  let text = `{"eventId":"${id}","runId":"${runId}","sequence":${sequence},"timestamp":"${world.timestamp}","type":"${type}"`;
  if (nodeId !== undefined) text += `,"nodeId":${JSON.stringify(nodeId)}`;
  if (causationId !== undefined) text += `,"causationId":"${causationId}"`;
  text += `,"payload":${body}}`;
  const event = {
    eventId: id,
    runId,
    sequence,
    timestamp: world.timestamp,
    type,
    ...(nodeId !== undefined && { nodeId }),
    ...(causationId !== undefined && { causationId }),
    payload,
  } as unknown as RunEvent;
  return { event, text };
}

export function childTurn(turn: Turn, childRunId: string): Turn | undefined {
  return turn.tree.turns.get(childRunId);
}

export function parentTurn(turn: Turn): Turn | undefined {
  const parent = turn.run.parent;
  return parent && turn.tree.turns.get(parent.runId);
}

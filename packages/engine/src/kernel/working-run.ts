import {
  CROSS_HOST_TYPES,
  type EventType,
  eventId,
  illFormedAt,
  type JsonObject,
  type PayloadOf,
  type RunEvent,
  wellFormed,
} from '@baton/protocol';
import type { ForkPoint } from '../ports/store.ts';
import { evolve } from './fold/evolve.ts';
import { adopt } from './fold/evolve-fork.ts';
import type { Owned } from './fold/evolve-values.ts';
import type { Plan, Tree, WorkingRun, World } from './model.ts';
import { newSource } from './replay/source.ts';
import type { Run } from './run.ts';
import { redactPayload } from './secrecy/redaction.ts';
import { sealFor, sealPayload } from './secrecy/sensitivity.ts';

export type { ResolvedWorkflow, Tree, WorkingRun, World } from './model.ts';
export type { TranscriptLine, Want } from './want.ts';

/** An event would be larger than the limit. */
export class EventTooLargeError extends Error {
  readonly bytes: number;
  constructor(type: string, bytes: number, limit: number) {
    super(`${type} would hold ${bytes} bytes; the limit is ${limit}`);
    this.name = 'EventTooLargeError';
    this.bytes = bytes;
  }
}

/** All events that `act` records belong to one step. A fork cannot begin within a step. */
export function asStep<T>(tree: Tree, act: () => T): T {
  const at = tree.happened.length;
  const result = act();
  if (tree.happened.length > at) tree.steps.push(at);
  return result;
}

/** Records an event: encodes and folds it, and returns its id. */
export function emit<T extends EventType>(
  working: WorkingRun,
  type: T,
  payload: PayloadOf<T>,
  nodeId?: string,
  causationId?: string,
  own?: Owned,
): string {
  const { runId, head, tenant } = working.run;
  const { world } = working.tree;
  const cause = causationId ?? causeElsewhere(working.run, type);
  const told = cause === causationId ? payload : fromElsewhere(working.run, payload);
  const recorded = recordable(world, working.plan, tenant, type, told);
  const encoded = encode(world, runId, head, type, recorded, nodeId, cause);
  working.run = evolve(working.run, encoded.event, world.now, own);
  working.texts.push(encoded.text);
  working.tree.happened.push(working);
  working.tree.events += 1;
  working.tree.bytes += encoded.text.length;
  noteReplaced(working.tree, encoded.event, recorded);
  return encoded.event.eventId;
}

const CROSS_HOST: ReadonlySet<EventType> = new Set(CROSS_HOST_TYPES);

/**
 * The event of another host that caused a run is also the cause of the first event in the run that may name one,
 * and that has no cause on this host.
 */
function causeElsewhere({ origin, originTold }: Run, type: EventType): string | undefined {
  return origin !== undefined && originTold === undefined && CROSS_HOST.has(type)
    ? origin.causationId
    : undefined;
}

function fromElsewhere<T>({ origin }: Run, payload: T): T {
  return origin === undefined ? payload : { ...payload, causationHostId: origin.hostId };
}

/** Records the first event of a run and creates its working run. */
export function openRun(
  tree: Tree,
  plan: Plan,
  runId: string,
  payload: PayloadOf<'run.started'>,
  causationId?: string,
  point?: ForkPoint,
): WorkingRun {
  const recorded = recordable(tree.world, plan, payload.owner.tenant, 'run.started', payload);
  const { event, text } = encode(tree.world, runId, 0, 'run.started', recorded, undefined, causationId);
  const first = evolve(undefined, event, tree.world.now);
  const working: WorkingRun = {
    tree,
    plan,
    base: undefined,
    run: point ? adopt(first, point) : first,
    texts: [text],
    ...(point && { point }),
    ...(point?.fork.mode === 'replay' && { source: newSource() }),
  };
  tree.runs.set(runId, working);
  tree.happened.push(working);
  tree.events += 1;
  tree.bytes += text.length;
  noteReplaced(tree, event, recorded);
  return working;
}

interface Recordable {
  readonly payload: JsonObject;
  readonly text: string;
  /** The field in which half of a character was replaced. */
  readonly replaced?: string | undefined;
}

function noteReplaced(tree: Tree, { eventId, type }: RunEvent, { replaced: field }: Recordable): void {
  if (field !== undefined) tree.replaced.push({ eventId, type, field });
}

/**
 * Seals sensitive values, redacts secrets and replaces half characters. Every event passes here before it is
 * folded.
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

/** Searching the text is faster than walking through the value, and nearly all values are well-formed. */
function settleText(given: JsonObject): Recordable {
  const text = JSON.stringify(given);
  const replaced = text.includes(HALF_ESCAPED) ? illFormedAt(given) : undefined;
  if (replaced === undefined) return { payload: given, text };
  const payload = wellFormed(given);
  return { payload, text: JSON.stringify(payload), replaced };
}

/** `JSON.stringify` writes half of a character as an escape that begins with this. */
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
  // Members are added one by one, because conditional spreads cost as much as the rest of this function.
  const event: Record<string, unknown> = {
    eventId: id,
    runId,
    sequence,
    timestamp: world.timestamp,
    type,
    payload,
  };
  if (nodeId !== undefined) event.nodeId = nodeId;
  if (causationId !== undefined) event.causationId = causationId;
  return { event: event as unknown as RunEvent, text };
}

export function workingChild(working: WorkingRun, childRunId: string): WorkingRun | undefined {
  return working.tree.runs.get(childRunId);
}

export function workingParent(working: WorkingRun): WorkingRun | undefined {
  const parent = working.run.parent;
  return parent && working.tree.runs.get(parent.runId);
}

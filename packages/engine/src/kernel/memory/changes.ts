import { isoTime, wellFormed } from '@baton/protocol';
import type { MemoryAuthor, MemoryChange } from '../../ports/memory.ts';
import { ownScope } from '../fold/evolve-fork.ts';
import { followed, recordedHere } from '../replay/source.ts';
import { redactChange } from '../secrecy/memory.ts';
import { emit, type Turn } from '../turn.ts';

/**
 * Changes to the run's own scope. Each is two things that are stored together: an event that names the
 * version it makes, and the change itself, with the content that no event holds.
 */

export interface NewEntry {
  readonly id: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly expiresAt?: number;
}

/** Answers with the version of the scope that the write made. */
export function writeEntry(turn: Turn, nodeId: string, entry: NewEntry): number {
  const { id, content, tags, expiresAt } = entry;
  const by = authorOf(turn, nodeId);
  const change = changeBase(turn, by);
  const version = change.expectedVersion + 1;
  emit(
    turn,
    'memory.written',
    {
      memoryRef: change.scope,
      memoryId: id,
      nodeId,
      ...(by.agentId !== undefined && { agentId: by.agentId }),
      ...(tags.length > 0 && { tags: [...tags] }),
      version,
      ...(expiresAt !== undefined && { expiresAt: isoTime(expiresAt) }),
    },
    nodeId,
  );
  recordChange(turn, {
    ...change,
    kind: 'write',
    id,
    content,
    tags,
    ...(expiresAt !== undefined && { expiresAt }),
  });
  turn.tree.bytes += content.length;
  return version;
}

export function forgetEntry(turn: Turn, nodeId: string, id: string): number {
  const change = changeBase(turn, authorOf(turn, nodeId));
  const version = change.expectedVersion + 1;
  const payload = { memoryRef: change.scope, memoryId: id, nodeId, version };
  emit(turn, 'baton.memory.forgotten', payload, nodeId);
  recordChange(turn, { ...change, kind: 'forget', id });
  return version;
}

/**
 * Every change goes through here, so that no secret is remembered, and no half character. A replay that follows its source changes
 * nothing: what it does was done.
 */
export function recordChange(turn: Turn, change: MemoryChange): void {
  if (followed(turn) !== undefined) return;
  const { run, tree } = turn;
  tree.changes.push(redactChange(tree.world.redactor(run.tenant), wellFormed(change)));
}

function authorOf({ run, plan }: Turn, nodeId: string): MemoryAuthor {
  const agent = plan.nodes.get(nodeId)?.node.agent ?? run.agent;
  return { runId: run.runId, nodeId, ...(agent && { agentId: agent.agentId }) };
}

export function changeBase(turn: Turn, by: MemoryAuthor) {
  haveOwnScope(turn);
  const { run, tree } = turn;
  const { scope, version } = run.memory;
  return { tenant: run.tenant, scope, expectedVersion: version, at: tree.world.now, by };
}

/** The source was a replay too, and went to a scope of its own here. */
function followToScope(turn: Turn): void {
  const recorded = recordedHere(turn);
  if (recorded === undefined || recorded === 'unknown') return;
  const { event } = recorded;
  if (event.type === 'baton.memory.branched') emit(turn, event.type, event.payload);
}

function haveOwnScope(turn: Turn): void {
  const memoryRef = ownScope(turn.run.runId);
  const { fork, memory } = turn.run;
  if (fork?.mode !== 'replay' || memory.scope === memoryRef) return;
  if (followed(turn) === undefined) emit(turn, 'baton.memory.branched', { memoryRef });
  else followToScope(turn);
}

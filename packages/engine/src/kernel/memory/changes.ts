import { isoTime, wellFormed } from '@baton/protocol';
import type { MemoryAuthor, MemoryChange } from '../../ports/memory.ts';
import { ownScope } from '../fold/evolve-fork.ts';
import { followed, isAtEnd, recordedHere } from '../replay/source.ts';
import { redactChange } from '../secrecy/memory.ts';
import { emit, type WorkingRun } from '../working-run.ts';

/**
 * Changes to the memory scope of a run. Each consists of two parts that are stored together: an event that
 * names the new version, and the change itself, with the content. No event contains the content.
 */

export interface NewEntry {
  readonly id: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly expiresAt?: number;
}

/** Returns the version of the scope that the write makes. */
export function writeEntry(working: WorkingRun, nodeId: string, entry: NewEntry): number {
  const { id, content, tags, expiresAt } = entry;
  const by = authorOf(working, nodeId);
  const change = changeBase(working, by);
  const version = change.expectedVersion + 1;
  emit(
    working,
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
  recordChange(working, {
    ...change,
    kind: 'write',
    id,
    content,
    tags,
    ...(expiresAt !== undefined && { expiresAt }),
  });
  working.tree.bytes += content.length;
  return version;
}

export function forgetEntry(working: WorkingRun, nodeId: string, id: string): number {
  const change = changeBase(working, authorOf(working, nodeId));
  const version = change.expectedVersion + 1;
  const payload = { memoryRef: change.scope, memoryId: id, nodeId, version };
  emit(working, 'baton.memory.forgotten', payload, nodeId);
  recordChange(working, { ...change, kind: 'forget', id });
  return version;
}

/**
 * Every change passes here, so that secrets are redacted and half characters are replaced. A replay that
 * follows its source changes no memory, because its source has already made the change. At the end of the log
 * of its source, the replay goes on by itself and changes its own scope.
 */
export function recordChange(working: WorkingRun, change: MemoryChange): void {
  const { run, tree } = working;
  if (followed(working) !== undefined && change.scope !== ownScope(run.runId)) return;
  tree.changes.push(redactChange(tree.world.redactor(run.tenant), wellFormed(change)));
}

function authorOf({ run, plan }: WorkingRun, nodeId: string): MemoryAuthor {
  const agent = plan.nodes.get(nodeId)?.node.agent ?? run.agent;
  return { runId: run.runId, nodeId, ...(agent && { agentId: agent.agentId }) };
}

export function changeBase(working: WorkingRun, by: MemoryAuthor) {
  haveOwnScope(working);
  const { run, tree } = working;
  const { scope, version } = run.memory;
  return { tenant: run.tenant, scope, expectedVersion: version, at: tree.world.now, by };
}

/**
 * If the source was a replay too and began to use a separate memory scope here, this replay records the same.
 */
function followToScope(working: WorkingRun): void {
  const recorded = recordedHere(working);
  if (recorded === undefined || recorded === 'unknown') return;
  const { event } = recorded;
  if (event.type === 'baton.memory.branched') emit(working, event.type, event.payload);
}

function haveOwnScope(working: WorkingRun): void {
  const memoryRef = ownScope(working.run.runId);
  const { fork, memory } = working.run;
  if (fork?.mode !== 'replay' || memory.scope === memoryRef) return;
  if (followed(working) === undefined || isAtEnd(working))
    emit(working, 'baton.memory.branched', { memoryRef });
  else followToScope(working);
}

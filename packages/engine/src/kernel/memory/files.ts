import { MAX_FILES } from '@baton/protocol';
import type { MemoryRow, MemoryView } from '../../ports/memory.ts';
import { emit, type WorkingRun } from '../working-run.ts';
import { recordChange } from './changes.ts';
import { recallFrom } from './recall.ts';
import { WORKSPACE_SCOPE, workspaceNow } from './turn-inputs.ts';

/** Files of the workspace, which all runs and clients of a tenant share. */

interface NewFile {
  readonly path: string;
  readonly content: string;
  readonly contentType: string;
}

/**
 * The file as it is stored now. `unknown` when the step has to be taken again after a look-up or a commit.
 */
export function fileNow(working: WorkingRun, path: string): MemoryRow | 'absent' | 'unknown' {
  const workspace = workspaceNow(working);
  if (workspace === 'unknown') return workspace;
  return fileIn(working, workspace ? [workspace] : [], path);
}

/** Returns the version of the file that the write makes, or why the file was not written. */
export function writeFile(working: WorkingRun, nodeId: string, file: NewFile): number | 'full' | 'unknown' {
  const workspace = workspaceNow(working);
  if (workspace === 'unknown') return workspace;
  const view = workspace ? [workspace] : [];
  const before = fileIn(working, view, file.path);
  if (before === 'unknown') return before;
  const expectedVersion = workspace?.version ?? 0;
  if (before === 'absent') {
    const full = expectedVersion >= MAX_FILES && isFull(working, view);
    if (full !== false) return full;
  }
  const version = (before === 'absent' ? 0 : before.revision) + 1;
  emit(working, 'workspace.updated', { path: file.path, version }, nodeId);
  const { run, tree } = working;
  const { path: id, content, contentType } = file;
  const by = { runId: run.runId, nodeId };
  const place = { tenant: run.tenant, scope: WORKSPACE_SCOPE, expectedVersion, at: tree.world.now, by };
  recordChange(working, { kind: 'write', ...place, id, content, contentType, tags: [] });
  tree.bytes += content.length;
  return version;
}

function fileIn(working: WorkingRun, view: MemoryView, path: string): MemoryRow | 'absent' | 'unknown' {
  const found = recallFrom(working, view, { id: path, limit: 1 });
  return found === 'unknown' ? found : (found[0] ?? 'absent');
}

function isFull(working: WorkingRun, view: MemoryView): 'full' | 'unknown' | false {
  const files = recallFrom(working, view, { limit: MAX_FILES });
  if (files === 'unknown') return files;
  return files.length >= MAX_FILES && 'full';
}

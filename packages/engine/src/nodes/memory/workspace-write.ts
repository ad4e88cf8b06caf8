import { DEFAULT_CONTENT_TYPE, type Json, MAX_FILE_BYTES, runError, WorkspacePath } from '@baton/protocol';
import Type from 'typebox';
import { completeNode, failNode } from '../../kernel/execute.ts';
import type { PlanNode } from '../../kernel/graph/plan.ts';
import { writeFile } from '../../kernel/memory/files.ts';
import type { NodeType } from '../../kernel/model.ts';
import { recordedAbout } from '../../kernel/replay/source.ts';
import { emit, type WorkingRun } from '../../kernel/working-run.ts';
import { fieldsOf, refuse } from './memory-fields.ts';

const Fields = Type.Object(
  {
    path: Type.Optional(WorkspacePath),
    content: Type.Optional(Type.Unsafe<Json>({})),
    contentType: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  },
  { additionalProperties: false },
);
type Fields = Type.Static<typeof Fields>;

/** Writes a file of the workspace. Content that is not text is written as JSON. */
export const workspaceWrite: NodeType = {
  typeId: 'vendor.baton.workspace.write',
  config: Fields,
  scopes: ['workspace:write'],
  // The file is written in a later step, so that a replay does not write it earlier than its source did.
  start: () => ({ do: 'act', act: () => undefined }),
  proceed,
};

function proceed(working: WorkingRun, nodeId: string): boolean {
  const asked = fieldsOf<Fields>(working, nodeId, Fields, 'input_invalid');
  if (asked === undefined) return true;
  const { node, fields } = asked;
  const { path, content: given, contentType = DEFAULT_CONTENT_TYPE } = fields;
  if (path === undefined || given === undefined) {
    const missing = path === undefined ? 'path' : 'content';
    refuse(working, node, `${missing} is missing`, missing, 'input_invalid');
    return true;
  }
  const content = typeof given === 'string' ? given : JSON.stringify(given);
  const bytes = new TextEncoder().encode(content).length;
  if (bytes > MAX_FILE_BYTES) {
    tooLarge(working, node, `the file has ${bytes} bytes; a file may have ${MAX_FILE_BYTES}`);
    return true;
  }
  if (working.run.fork?.mode === 'replay') return repeat(working, node);
  const version = writeFile(working, nodeId, { path, content, contentType });
  if (version === 'unknown') return false;
  if (version === 'full') tooLarge(working, node, 'the workspace has no room for another file');
  else completeNode(working, nodeId, { path, version });
  return true;
}

function tooLarge(working: WorkingRun, node: PlanNode, problem: string): void {
  failNode(working, node, runError('workspace_too_large', `Node "${node.id}": ${problem}`), false);
}

/** All runs of a tenant share the files, so a replay writes none. It repeats the recorded event, or fails. */
function repeat(working: WorkingRun, node: PlanNode): boolean {
  const recorded = recordedAbout(working, node.id, 'workspace.updated', 'node.failed');
  if (recorded === 'unknown') return false;
  if (recorded?.type === 'workspace.updated') {
    const { path, version } = recorded.payload;
    emit(working, 'workspace.updated', { path, version }, node.id);
    completeNode(working, node.id, { path, version });
  } else failNode(working, node, recorded?.payload.error ?? runError('replay_source_missing'), false);
  return true;
}

import { type Json, type JsonObject, WorkspacePath } from '@baton/protocol';
import Type from 'typebox';
import { assign, completeNode } from '../../kernel/execute.ts';
import { fileNow } from '../../kernel/memory/files.ts';
import type { NodeType } from '../../kernel/model.ts';
import { recordedAbout } from '../../kernel/replay/source.ts';
import type { WorkingRun } from '../../kernel/working-run.ts';
import { fieldsOf, refuse } from './memory-fields.ts';

const Fields = Type.Object(
  {
    path: Type.Optional(WorkspacePath),
    into: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  },
  { additionalProperties: false },
);
type Fields = Type.Static<typeof Fields>;

/** Reads the present version of a file of the workspace. A file that does not exist is null. */
export const workspaceRead: NodeType = {
  typeId: 'vendor.baton.workspace.read',
  config: Fields,
  scopes: ['workspace:read'],
  // The file is read in a later step, so that a replay does not read it earlier than its source did.
  start: () => ({ do: 'act', act: () => undefined }),
  proceed,
};

function proceed(working: WorkingRun, nodeId: string): boolean {
  const asked = fieldsOf<Fields>(working, nodeId, Fields, 'input_invalid');
  if (asked === undefined) return true;
  const { path, into } = asked.fields;
  if (path === undefined) {
    refuse(working, asked.node, 'path is missing', 'path', 'input_invalid');
    return true;
  }
  const outputs = recordedOutputs(working, nodeId) ?? read(working, path);
  if (outputs === 'unknown') return false;
  if (into !== undefined) assign(working, nodeId, { [into]: outputs.file ?? null });
  completeNode(working, nodeId, outputs);
  return true;
}

/** The file may have changed since, so a replay uses the recorded outputs of its source. */
function recordedOutputs(working: WorkingRun, nodeId: string): JsonObject | 'unknown' | undefined {
  const recorded = recordedAbout(working, nodeId, 'node.completed');
  return recorded === 'unknown' ? recorded : recorded?.payload.outputs;
}

function read(working: WorkingRun, path: string): Record<string, Json> | 'unknown' {
  const found = fileNow(working, path);
  if (found === 'unknown') return found;
  return { file: found === 'absent' ? null : { path, version: found.revision, content: found.content } };
}

import type { NodeType } from '../kernel/model.ts';
import { agentNode } from './agent/agent-node.ts';
import { approvalGate } from './approval-gate.ts';
import { callPrompt } from './call-prompt.ts';
import { channelWrite } from './channel-write.ts';
import { clarificationGate } from './clarification-gate.ts';
import { delay } from './delay.ts';
import { dispatch } from './dispatch.ts';
import { fail } from './fail.ts';
import { identity } from './identity.ts';
import { interrupt } from './interrupt.ts';
import { memoryForget } from './memory/memory-forget.ts';
import { memoryRead } from './memory/memory-read.ts';
import { memoryWrite } from './memory/memory-write.ts';
import { workspaceRead } from './memory/workspace-read.ts';
import { workspaceWrite } from './memory/workspace-write.ts';
import { noop } from './noop.ts';
import { remoteNode } from './remote/remote-node.ts';
import { set } from './set.ts';
import { structuredOutput } from './structured-output.ts';
import { subWorkflow } from './sub-workflow.ts';
import { supervisor } from './supervisor.ts';

/** The node types that a host has. */
export interface NodeTypes {
  readonly all: readonly NodeType[];
  readonly ids: readonly string[];
  of(typeId: string): NodeType | undefined;
}

/** A type replaces an earlier type with the same id. */
export function nodeTypes(given: readonly NodeType[]): NodeTypes {
  const byId = new Map(given.map((type) => [type.typeId, type]));
  return { all: [...byId.values()], ids: [...byId.keys()].sort(), of: (typeId) => byId.get(typeId) };
}

/** To add a type to the product, add a file to this folder and a line here. */
export const PRODUCT_NODES = nodeTypes([
  agentNode,
  approvalGate,
  callPrompt,
  channelWrite,
  clarificationGate,
  delay,
  dispatch,
  fail,
  identity,
  interrupt,
  memoryForget,
  memoryRead,
  memoryWrite,
  noop,
  remoteNode,
  set,
  structuredOutput,
  subWorkflow,
  supervisor,
  workspaceRead,
  workspaceWrite,
]);

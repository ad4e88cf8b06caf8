import type { NodeType } from '../kernel/node-type.ts';
import { approvalGate } from './approval-gate.ts';
import { channelWrite } from './channel-write.ts';
import { clarificationGate } from './clarification-gate.ts';
import { delay } from './delay.ts';
import { dispatch } from './dispatch.ts';
import { fail } from './fail.ts';
import { hold } from './hold.ts';
import { identity } from './identity.ts';
import { interrupt } from './interrupt.ts';
import { memoryForget } from './memory-forget.ts';
import { memoryRead } from './memory-read.ts';
import { memoryWrite } from './memory-write.ts';
import { mockAgent } from './mock-agent.ts';
import { noop } from './noop.ts';
import { requiresMissing } from './requires-missing.ts';
import { set } from './set.ts';
import { sideEffect } from './side-effect.ts';
import { structuredOutput } from './structured-output.ts';
import { subWorkflow } from './sub-workflow.ts';
import { supervisor } from './supervisor.ts';
import { workspaceRead } from './workspace-read.ts';
import { workspaceWrite } from './workspace-write.ts';

/** Every node type of this host. Adding one is a file beside this one and a line here. */
const ALL: readonly NodeType[] = [
  approvalGate,
  channelWrite,
  clarificationGate,
  delay,
  dispatch,
  fail,
  hold,
  identity,
  interrupt,
  memoryForget,
  memoryRead,
  memoryWrite,
  mockAgent,
  noop,
  requiresMissing,
  set,
  sideEffect,
  structuredOutput,
  subWorkflow,
  supervisor,
  workspaceRead,
  workspaceWrite,
];

const BY_ID: ReadonlyMap<string, NodeType> = new Map(ALL.map((type) => [type.typeId, type]));

export function nodeType(typeId: string): NodeType | undefined {
  return BY_ID.get(typeId);
}

export const NODE_TYPE_IDS: readonly string[] = ALL.map((type) => type.typeId).sort();

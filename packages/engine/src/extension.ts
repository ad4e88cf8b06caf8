/** What a package needs that extends the engine: see `driver/extension.ts`. */

export type { EngineExtension } from './driver/extension.ts';
export { assign, completeNode, failNode } from './kernel/execute.ts';
export { viewOfMemory } from './kernel/fold/evolve-fork.ts';
export { decidedIn } from './kernel/fold/evolve-interrupts.ts';
export { type NewEntry, writeEntry } from './kernel/memory/changes.ts';
export { entryOf } from './kernel/memory/entry.ts';
export { recall, recallFrom } from './kernel/memory/recall.ts';
export { catchUp } from './kernel/memory/shared-scope.ts';
export type { NodeType, NodeView, Start } from './kernel/model.ts';
export { ask } from './kernel/people/asking.ts';
export { isPending } from './kernel/run.ts';
export { emit, type WorkingRun } from './kernel/working-run.ts';
export { writeChannel } from './nodes/channel-write.ts';
export { DEFAULT_CONFIDENCE_THRESHOLD } from './nodes/confidence.ts';
export { delay } from './nodes/delay.ts';
export { fail, failWith } from './nodes/fail.ts';
export { identity } from './nodes/identity.ts';
export { type NodeTypes, nodeTypes, PRODUCT_NODES } from './nodes/index.ts';
export { decide, hasPlan, nextDecision, orchestratorId, supervisor } from './nodes/supervisor.ts';

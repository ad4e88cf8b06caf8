export * from './authored/bounds.ts';
export * from './authored-schema.ts';
export * from './canonical.ts';
export { RunAncestry } from './contracts/across-hosts/peers.ts';
export type { AgentEntry, AgentTool } from './contracts/agents.ts';
export { type AuditLogReport, FINDING_KINDS, type FindingKind } from './contracts/audit.ts';
export type {
  Access,
  AnswerOf,
  Idempotent,
  PartOf,
  ResponseContract,
  RouteContract,
} from './contracts/contract.ts';
export { refusalsOf } from './contracts/contract.ts';
export * from './contracts/contracts.ts';
export { type EventOfTree, STREAM_FRAMES, STREAM_MODES, type StreamMode } from './contracts/events.ts';
export type { LinkedInterrupt, WaitingInterrupt } from './contracts/interrupts.ts';
export { MAX_MEMORY_BYTES } from './contracts/memory.ts';
export * from './contracts/openapi.ts';
export { MAX_HELD_RUNS_SHOWN } from './contracts/operations.ts';
export { CONSOLE_HEADER, SESSION_COOKIE, type SessionView } from './contracts/sessions.ts';
export * from './errors.ts';
export * from './event-chain.ts';
export * from './ids.ts';
export * from './json.ts';
export * from './llm-cache-key.ts';
export * from './meter.ts';
export * from './metered-json.ts';
export { nearest } from './nearest.ts';
export * from './pattern.ts';
export { expandedSize as patternSize } from './pattern-size.ts';
export * from './schemas/across-hosts.ts';
export * from './schemas/agent.ts';
export * from './schemas/capabilities.ts';
export * from './schemas/debug-bundle.ts';
export * from './schemas/decision.ts';
export * from './schemas/event-summaries.ts';
export * from './schemas/events/agent-events.ts';
export * from './schemas/events/effect-events.ts';
export * from './schemas/events/fork-events.ts';
export * from './schemas/events/handoff-events.ts';
export * from './schemas/events/memory-events.ts';
export * from './schemas/events/model-events.ts';
export * from './schemas/events/node-events.ts';
export * from './schemas/events/run-events.ts';
export * from './schemas/events.ts';
export * from './schemas/interrupt.ts';
export * from './schemas/model-request.ts';
export { Count, LARGEST_COUNT, LARGEST_VERSION, Ordinal } from './schemas/numbers.ts';
export { ErrorObject } from './schemas/parts.ts';
export * from './schemas/run.ts';
export * from './schemas/run-limits.ts';
export * from './schemas/run-summary.ts';
export * from './schemas/secrets.ts';
export * from './schemas/verifier.ts';
export * from './schemas/webhooks.ts';
export * from './schemas/workflow.ts';
export * from './schemas/workspace.ts';
export * from './scopes.ts';
export * from './search-text.ts';
export * from './status.ts';
export * from './time.ts';
export * from './trace.ts';
export * from './validate.ts';
export * from './well-formed.ts';

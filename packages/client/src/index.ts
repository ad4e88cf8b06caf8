export type { AgentReply, Agents, Chat, MessageOptions } from './agents.ts';
export { type Baton, type ConnectOptions, connect } from './connect.ts';
export { BatonError, type BatonErrorCode, type ClientErrorCode } from './errors.ts';
export type { EventsOptions, LiveItem } from './events/follow.ts';
export type { Patience } from './http/backoff.ts';
export type { CallOptions, CommandOptions, Fetch } from './http/connection.ts';
export type { InterruptAnswer, InterruptLinks, InterruptPlace, RunMoved } from './interrupts.ts';
export type {
  AnswerOptions,
  BranchOptions,
  Fork,
  ForkOptions,
  Run,
  RunArtifact,
  RunAttestations,
  RunDiff,
  RunState,
} from './runs/run.ts';
export type { ListRunsOptions, RunInputs, Runs, StartOptions } from './runs/runs.ts';
export type { WorkflowEntry, Workflows } from './workflows.ts';

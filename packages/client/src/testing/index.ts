/** Tests of workflows and agents in one process: the real engine, a simulated clock and a scripted model. */

export type { ScriptEntry } from '@baton/agents';
export {
  asks,
  type Check,
  type ExpectedEvent,
  type ExpectedMerge,
  emitted,
  ended,
  hasVariables,
  merged,
  notEmitted,
  notMerged,
} from './checks.ts';
export type { Duration } from './duration.ts';
export { type Given, given, type Start, type StartOptions, start } from './given.ts';
export type { GateStage, Merge } from './merges.ts';
export type { Scripts } from './models.ts';
export { type GivenAgent, type GivenWorkflow, type Part, scripted, startingAt } from './parts.ts';
export type { AnswerOptions, OpenQuestion, RunInTree, TestRun } from './run-types.ts';
export { accept, answer, cancel, edit, pass, reject, type Step, untilAtRest } from './steps.ts';

import type { JsonObject, TurnInputs } from '@baton/protocol';
import { type DecideNeeds, decideBy } from '../graph/decide.ts';
import type { PlanNode } from '../graph/plan.ts';
import type { WorkingRun } from '../working-run.ts';
import { type CaughtUp, catchUp } from './shared-scope.ts';
import { turnInputs } from './turn-inputs.ts';
import { turnView } from './turn-view.ts';

interface TakenTurn {
  /** The references that are recorded with the start of the turn. */
  readonly inputs?: TurnInputs;
  /** The contents of the inputs, for a supervisor that decides by an expression. */
  readonly shown?: JsonObject;
}

/** A live supervisor is shown all inputs of its turn. */
function liveNeeds({ agent, config }: PlanNode['node']): DecideNeeds | undefined {
  if (agent === undefined || config?.workers === undefined) return undefined;
  return { memory: true, workspace: true, transcript: true };
}

/** The inputs of a supervisor's turn. They are read before the turn begins. */
export function takeTurn(working: WorkingRun, { node }: PlanNode): TakenTurn | Exclude<CaughtUp, 'current'> {
  const memory = catchUp(working);
  if (memory !== 'current') return memory;
  const inputs = turnInputs(working);
  if (inputs === 'unknown') return 'unknown';
  const text = node.settings?.decide;
  if (inputs === undefined) return {};
  const needs = text === undefined ? liveNeeds(node) : decideBy(text).needs;
  if (needs === undefined) return { inputs };
  const shown = turnView(working, inputs, needs);
  return shown === 'unknown' ? shown : { inputs, shown };
}

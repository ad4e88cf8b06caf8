import type { JsonObject, TurnInputs } from '@baton/protocol';
import { decideBy } from '../graph/decide.ts';
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

/** The inputs of a supervisor's turn. They are read before the turn begins. */
export function takeTurn(working: WorkingRun, { node }: PlanNode): TakenTurn | Exclude<CaughtUp, 'current'> {
  const memory = catchUp(working);
  if (memory !== 'current') return memory;
  const inputs = turnInputs(working);
  if (inputs === 'unknown') return 'unknown';
  const text = node.settings?.decide;
  if (inputs === undefined) return {};
  if (text === undefined) return { inputs };
  const shown = turnView(working, inputs, decideBy(text).needs);
  return shown === 'unknown' ? shown : { inputs, shown };
}

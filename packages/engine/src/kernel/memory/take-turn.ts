import type { JsonObject, TurnInputs } from '@baton/protocol';
import { decideBy } from '../graph/decide.ts';
import type { PlanNode } from '../graph/plan.ts';
import type { WorkingRun } from '../working-run.ts';
import { type CaughtUp, catchUp } from './shared-scope.ts';
import { turnInputs } from './turn-inputs.ts';
import { turnView } from './turn-view.ts';

interface TakenTurn {
  /** What is recorded with the start of the turn. */
  readonly inputs?: TurnInputs;
  /** The same, spelt out for a supervisor that decides by an expression. */
  readonly shown?: JsonObject;
}

/** What a supervisor goes by, found out before its turn begins. */
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

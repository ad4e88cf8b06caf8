import type { JsonObject, TurnInputs } from '@baton/protocol';
import { decideBy } from '../graph/decide.ts';
import type { PlanNode } from '../graph/plan.ts';
import type { Turn } from '../turn.ts';
import { type CaughtUp, catchUp } from './shared-scope.ts';
import { turnInputs } from './turn-inputs.ts';
import { turnView } from './turn-view.ts';

export interface TakenTurn {
  /** What is recorded with the start of the turn. */
  readonly inputs: TurnInputs;
  /** The same, spelt out for a supervisor that decides by an expression. */
  readonly shown?: JsonObject;
}

/** What a supervisor goes by, found out before its turn begins. */
export function takeTurn(turn: Turn, { node }: PlanNode): TakenTurn | Exclude<CaughtUp, 'current'> {
  const memory = catchUp(turn);
  if (memory !== 'current') return memory;
  const inputs = turnInputs(turn);
  if (inputs === 'unknown') return 'unknown';
  const text = node.settings?.decide;
  if (text === undefined) return { inputs };
  const shown = turnView(turn, inputs, decideBy(text).needs);
  return shown === 'unknown' ? shown : { inputs, shown };
}

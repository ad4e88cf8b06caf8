import type { Json, JsonObject } from '@baton/protocol';
import { type Bindings, compileDecision, remembered } from './expression.ts';
import type { StepMeter } from './step-meter.ts';

/** Expressions that decide for a supervisor. The inputs of its turn are bound to the name `turn`. */

interface DecideScope extends Bindings {
  readonly turn: JsonObject;
}

/** The data that has to be read before the expression can be evaluated. */
export interface DecideNeeds {
  readonly memory: boolean;
  readonly workspace: boolean;
  readonly transcript: boolean;
}

interface Decide {
  readonly evaluate: (scope: DecideScope, meter: StepMeter) => Json;
  readonly needs: DecideNeeds;
}

export const decideBy: (text: string) => Decide = remembered((text) => ({
  evaluate: compileDecision(text),
  needs: {
    memory: mentions(text, 'memory'),
    workspace: mentions(text, 'workspace'),
    transcript: mentions(text, 'transcript'),
  },
}));

/** `turn` without a member name may mean any of them. */
function mentions(text: string, name: string): boolean {
  return new RegExp(`\\bturn\\s*\\.\\s*\\??\\s*${name}\\b`).test(text) || /\bturn\b(?!\s*\.)/.test(text);
}

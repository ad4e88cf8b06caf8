import { type Json, type JsonObject, toJson } from '@baton/protocol';
import { Environment } from '@marcbachmann/cel-js';
import { installMeter, type Metering, meterRoot } from './expression-meter.ts';
import type { StepMeter } from './step-meter.ts';

/**
 * Expressions are written in CEL. They have no loops, no I/O and no access to the host. JSON has one kind of
 * number where CEL has two, so mixed arithmetic is allowed and results are converted to JSON.
 */

export interface Bindings {
  readonly variables: JsonObject;
  readonly inputs: JsonObject;
  readonly nodes: Readonly<Record<string, { readonly outputs: JsonObject }>>;
}

/** Throws when the expression cannot be evaluated, or takes more steps than the meter allows. */
export type Expression = (scope: Bindings, meter: StepMeter) => Json;

const ARITHMETIC = {
  '+': (a: number, b: number) => a + b,
  '-': (a: number, b: number) => a - b,
  '*': (a: number, b: number) => a * b,
  '/': (a: number, b: number) => a / b,
  '%': (a: number, b: number) => a % b,
} as const;

interface Metered {
  readonly environment: Environment;
  readonly metering: Metering;
}

const ORDINARY = metered(makeEnvironment());
const DECIDING = metered(makeEnvironment().registerVariable('turn', 'map'));

function metered(environment: Environment): Metered {
  return { environment, metering: installMeter(environment) };
}

function makeEnvironment(): Environment {
  const made = new Environment({
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: {
      maxAstNodes: 2000,
      maxDepth: 64,
      maxListElements: 1000,
      maxMapEntries: 1000,
      maxCallArguments: 16,
    },
  })
    .registerVariable('variables', 'map')
    .registerVariable('inputs', 'map')
    .registerVariable('nodes', 'map');
  for (const [operator, apply] of Object.entries(ARITHMETIC)) {
    const mixed = (a: unknown, b: unknown) => apply(Number(a), Number(b));
    made.registerOperator(`int ${operator} double`, mixed);
    made.registerOperator(`double ${operator} int`, mixed);
  }
  made.registerOperator('int == double', (a: unknown, b: unknown) => Number(a) === Number(b));
  return made;
}

/** How deep macros such as `map` may nest: each level multiplies the work by the length of a list. */
const MAX_MACRO_NESTING = 2;
const MACRO = /\.(?:map|filter|all|exists|exists_one)\s*\(/g;

/** Compiles an expression. Throws with the message of the CEL library when the text is not valid. */
export function compileExpression(text: string): Expression {
  return compileIn(ORDINARY, text);
}

/** An expression of a supervisor, which can also use `turn`. */
export function compileDecision(
  text: string,
): (scope: Bindings & { readonly turn: JsonObject }, meter: StepMeter) => Json {
  return compileIn(DECIDING, text);
}

function compileIn({ environment, metering }: Metered, text: string): Expression {
  if (/\bmatches\s*\(/.test(text)) {
    throw new Error('matches() is not available; use a condition of type "regex" on an edge');
  }
  if ((text.match(MACRO)?.length ?? 0) > MAX_MACRO_NESTING) {
    throw new Error(`an expression may use at most ${MAX_MACRO_NESTING} of map, filter, all and exists`);
  }
  const evaluate = environment.parse(text);
  const check = evaluate.check();
  if (!check.valid) throw new Error(firstLine(check.error?.message ?? 'the expression is not valid'));
  meterRoot(evaluate, metering);
  return (scope, meter) => {
    metering.meter = meter;
    return toJson(evaluate(scope) as unknown, { meter, maxCharacters: meter.maxCharacters, characters: 0 });
  };
}

/** Compiles an expression at its first use: a definition may hold thousands, of which a run uses a few. */
export function laterExpression(text: string): Expression {
  return (scope, meter) => rememberedExpression(text)(scope, meter);
}

const REMEMBERED = 1000;

/**
 * Caches compiled texts. Compiling costs a hundred times more than evaluating, and definitions repeat
 * expressions.
 */
export function remembered<T>(compile: (text: string) => T): (text: string) => T {
  const cache = new Map<string, T>();
  return (text) => {
    const found = cache.get(text);
    if (found !== undefined) return found;
    const made = compile(text);
    if (cache.size >= REMEMBERED) cache.clear();
    cache.set(text, made);
    return made;
  };
}

const rememberedExpression = remembered(compileExpression);

export function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}

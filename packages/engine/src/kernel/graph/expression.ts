import { type Json, type JsonObject, toJson } from '@baton/protocol';
import { Environment } from '@marcbachmann/cel-js';

/**
 * Expressions are CEL: no loops, no I/O, no access to the host. JSON has one kind of number where CEL has
 * two, so mixed arithmetic is allowed and results come back as JSON.
 */

export interface Scope {
  readonly variables: JsonObject;
  readonly inputs: JsonObject;
  readonly nodes: Readonly<Record<string, { readonly outputs: JsonObject }>>;
}

export type Expression = (scope: Scope) => Json;

const ARITHMETIC = {
  '+': (a: number, b: number) => a + b,
  '-': (a: number, b: number) => a - b,
  '*': (a: number, b: number) => a * b,
  '/': (a: number, b: number) => a / b,
  '%': (a: number, b: number) => a % b,
} as const;

interface Metered {
  readonly environment: Environment;
  readonly meter: { left: number };
}

const ORDINARY = metered(makeEnvironment());
const DECIDING = metered(makeEnvironment().registerVariable('turn', 'map'));

function metered(environment: Environment): Metered {
  return { environment, meter: installMeter(environment) };
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

/** Steps that one evaluation may take; what a list or a text is long counts as steps too. */
const MAX_STEPS = 5_000_000;

class TooManyStepsError extends Error {
  constructor() {
    super(`the expression takes more than ${MAX_STEPS} steps`);
  }
}

/**
 * Counts what an evaluation does. A list of a thousand entries looped over within itself is a million steps,
 * and adding a list to itself doubles it each time: without a bound one workflow could stall or exhaust the host.
 * The library has no hook for this, so its evaluator is taken from an expression that hands it out.
 */
function installMeter(made: Environment): { left: number } {
  const counter = { left: 0 };
  interface Evaluator {
    run(ast: { evaluate(ev: Evaluator, ast: unknown, ctx: unknown): unknown }, ctx: unknown): unknown;
    tryEval: Evaluator['run'];
  }
  const probe = made.parse('true') as unknown as {
    (): unknown;
    check(): unknown;
    readonly ast: { setMeta(key: 'evaluate', value: (evaluator: Evaluator) => boolean): void };
  };
  probe.check();
  probe.ast.setMeta('evaluate', (evaluator) => {
    evaluator.run = function run(ast, ctx) {
      const value = ast.evaluate(this, ast, ctx);
      counter.left -= 1 + (typeof value === 'string' || Array.isArray(value) ? value.length : 0);
      if (counter.left < 0) throw new TooManyStepsError();
      return value;
    };
    // Quantifiers carry on after an error; not after this one.
    evaluator.tryEval = function tryEval(ast, ctx) {
      try {
        return this.run(ast, ctx);
      } catch (problem) {
        if (problem instanceof TooManyStepsError) throw problem;
        return problem;
      }
    };
    return true;
  });
  probe();
  return counter;
}

/** How deep macros such as `map` may nest: each level multiplies the work by the length of a list. */
const MAX_MACRO_NESTING = 2;
const MACRO = /\.(?:map|filter|all|exists|exists_one)\s*\(/g;

/** Compiles once; throws with CEL's own words when the text is not an expression. */
export function compileExpression(text: string): Expression {
  return compileIn(ORDINARY, text);
}

/** A supervisor's expression, which sees its turn as well. */
export function compileDecision(text: string): (scope: Scope & { readonly turn: JsonObject }) => Json {
  return compileIn(DECIDING, text);
}

function compileIn({ environment, meter }: Metered, text: string): Expression {
  if (/\bmatches\s*\(/.test(text)) {
    throw new Error('matches() is not available; use a condition of type "regex" on an edge');
  }
  if ((text.match(MACRO)?.length ?? 0) > MAX_MACRO_NESTING) {
    throw new Error(`an expression may use at most ${MAX_MACRO_NESTING} of map, filter, all and exists`);
  }
  const evaluate = environment.parse(text);
  const check = evaluate.check();
  if (!check.valid) throw new Error(firstLine(check.error?.message ?? 'the expression is not valid'));
  return (scope) => {
    meter.left = MAX_STEPS;
    return toJson(evaluate(scope) as unknown);
  };
}

const REMEMBERED = 1000;

/** Compiling costs a hundred times more than evaluating, and definitions repeat themselves. */
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

export function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}

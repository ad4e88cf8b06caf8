import { type Json, type JsonObject, type RunError, runError } from '@baton/protocol';
import { outputsOf, type Run } from '../run.ts';
import { type Bindings, firstLine } from './expression.ts';
import { own } from './own.ts';
import type { PlanNode, Port } from './plan.ts';
import type { StepMeter } from './step-meter.ts';

const scopes = new WeakMap<Run, Bindings>();

/** The bindings for expressions and conditions. A state never changes, so its bindings are cached. */
export function bindingsOf(run: Run): Bindings {
  const known = scopes.get(run);
  if (known !== undefined) return known;
  const scope = makeScope(run);
  scopes.set(run, scope);
  return scope;
}

function makeScope(run: Run): Bindings {
  const nodes: Record<string, { outputs: JsonObject }> = {};
  for (const [id, state] of Object.entries(run.nodes)) {
    if (state.status === 'completed') nodes[id] = { outputs: state.outputs };
  }
  return { variables: run.variables, inputs: run.inputs, nodes };
}

type ResolvedInputs =
  | { readonly ok: true; readonly inputs: JsonObject }
  | { readonly ok: false; readonly error: RunError };

const NONE: ResolvedInputs = { ok: true, inputs: {} };

/** The values of a node's ports at this moment. A required port without a value fails the node. */
export function resolveInputs(run: Run, node: PlanNode, meter: StepMeter): ResolvedInputs {
  if (node.ports.length === 0) return NONE;
  const inputs: Record<string, Json> = {};
  for (const port of node.ports) {
    let value: Json | undefined;
    try {
      value = portValue(run, port, meter);
    } catch (problem) {
      const why = firstLine(problem instanceof Error ? problem.message : String(problem));
      return {
        ok: false,
        error: runError('expression_failed', `input "${port.name}" of node "${node.id}": ${why}`),
      };
    }
    if (value !== undefined) inputs[port.name] = value;
    else if (isRequired(port)) {
      return {
        ok: false,
        error: runError('input_missing', `input "${port.name}" of node "${node.id}" has no value`),
      };
    }
  }
  return { ok: true, inputs };
}

function portValue(run: Run, port: Port, meter: StepMeter): Json | undefined {
  switch (port.value.type) {
    case 'static':
      return port.value.value;
    case 'variable':
      return own(run.variables, port.value.variableName);
    case 'connection':
      return own(outputsOf(run, port.value.nodeId) ?? {}, port.value.outputKey);
    case 'expression':
      return port.value.run(bindingsOf(run), meter);
  }
}

/** A variable without a value is allowed. A connection to a missing output is an error, unless optional. */
function isRequired(port: Port): boolean {
  return port.value.type === 'connection' && port.value.optional !== true;
}

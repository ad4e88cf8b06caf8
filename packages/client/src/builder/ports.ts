import type { Json, PortValue } from '@baton/protocol';
import type { Checked, NotDeclared } from './expression.ts';

/** The inputs of a node. */

/**
 * Where the value of an input comes from: a variable (its name), an output of another node, an expression, or a value
 * that is always the same.
 */
export type Port =
  | string
  | { readonly variable: string; readonly optional: boolean }
  | { readonly node: string; readonly output: string; readonly optional?: boolean }
  | { readonly expression: string }
  | { readonly value: Json };

export type Ports = Readonly<Record<string, Port>>;

/** The inputs with their names checked. */
export type CheckedPorts<I, Variable extends string, Node extends string> = {
  readonly [K in keyof I]: CheckedPort<I[K], Variable, Node>;
};

type CheckedPort<P, Variable extends string, Node extends string> = P extends string
  ? P extends Variable
    ? P
    : NotDeclared<P>
  : P extends { readonly expression: infer S }
    ? { readonly expression: Checked<S, Variable, Node> }
    : P extends { readonly node: string }
      ? { readonly node: Node; readonly output: string; readonly optional?: boolean }
      : P extends { readonly variable: string }
        ? { readonly variable: Variable; readonly optional: boolean }
        : { readonly value: Json };

export function toPorts(inputs: Ports): Readonly<Record<string, PortValue>> {
  return Object.fromEntries(Object.entries(inputs).map(([name, port]) => [name, toPort(port)]));
}

function toPort(port: Port): PortValue {
  if (typeof port === 'string') return { type: 'variable', variableName: port };
  if ('variable' in port) return { type: 'variable', variableName: port.variable, optional: port.optional };
  if ('expression' in port) return { type: 'expression', expression: port.expression };
  if ('value' in port) return { type: 'static', value: port.value };
  const { node: nodeId, output: outputKey, optional } = port;
  return { type: 'connection', nodeId, outputKey, ...(optional !== undefined && { optional }) };
}

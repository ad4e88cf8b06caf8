import type { AgentDefinition } from './agent-definition.ts';
import type { Declarations, NameIn, RequiredIn, TypeOf, VariableType } from './variables.ts';

/**
 * Workflows and agents as workers, critics and sub-workflows, and the mappings of variables to and from them. A mapping
 * is checked on both sides: `{ topic: 'subject' }` needs a variable `topic` on the one side, a variable `subject` on
 * the other, and both of the same type.
 */

/** A workflow with its variables. */
export interface TypedWorkflow<D extends Declarations = Declarations> {
  readonly id: string;
  readonly description?: string | undefined;
  readonly variables: D;
}

/** A workflow, an agent, or the id of one. The names in mappings to an id are not checked on the side of the id. */
export type Worker = string | TypedWorkflow | AgentDefinition;

export function idOf(worker: Worker): string {
  return typeof worker === 'string' ? worker : worker.id;
}

/** The type of a variable that can hold a value of this TypeScript type. */
type HolderOf<V> = unknown extends V
  ? VariableType
  : [V] extends [string]
    ? 'string'
    : [V] extends [number]
      ? 'number'
      : [V] extends [boolean]
        ? 'boolean'
        : [V] extends [readonly unknown[]]
          ? 'array'
          : [V] extends [object]
            ? 'object'
            : VariableType;

/** The variables that have this type. */
type OfType<D extends Declarations, T> = {
  [K in NameIn<D>]: TypeOf<D[K]> extends T ? K : never;
}[NameIn<D>];

/** The members of a type whose values a variable of this type can hold. */
type HeldBy<Result, T extends VariableType> = {
  [K in keyof Result & string]-?: HolderOf<NonNullable<Result[K]>> extends T ? K : never;
}[keyof Result & string];

type Optional<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

type TaskMapping<D extends Declarations, Task> = unknown extends Task
  ? Readonly<Record<string, NameIn<D>>>
  : {
      readonly [K in Exclude<keyof Task, Optional<Task>>]: OfType<D, HolderOf<Task[K]>>;
    } & { readonly [K in Optional<Task>]?: OfType<D, HolderOf<NonNullable<Task[K]>>> };

/** Variables of the worker, each with the variable of this workflow that its value comes from. */
export type InputMapping<D extends Declarations, W> = W extends string
  ? Readonly<Record<string, NameIn<D>>>
  : W extends AgentDefinition<infer Task, infer _Result>
    ? TaskMapping<D, Task>
    : W extends TypedWorkflow<infer Own>
      ? { readonly [K in RequiredIn<Own>]: OfType<D, TypeOf<Own[K]>> } & {
          readonly [K in Exclude<NameIn<Own>, RequiredIn<Own>>]?: OfType<D, TypeOf<Own[K]>>;
        }
      : never;

/** Variables of this workflow, each with the variable of the worker that its value comes from. */
export type OutputMapping<D extends Declarations, W> = W extends string
  ? { readonly [K in NameIn<D>]?: string }
  : W extends AgentDefinition<infer _Task, infer Result>
    ? unknown extends Result
      ? { readonly [K in NameIn<D>]?: string }
      : { readonly [K in NameIn<D>]?: HeldBy<Result, TypeOf<D[K]>> }
    : W extends TypedWorkflow<infer Own>
      ? { readonly [K in NameIn<D>]?: OfType<Own, TypeOf<D[K]>> }
      : never;

type NeedsInput<D extends Declarations, W> = Record<string, never> extends InputMapping<D, W> ? false : true;

/** What a worker is given, and what is taken over from it. `input` may be left out if nothing is required. */
export type Mappings<D extends Declarations, W> = {
  readonly output?: OutputMapping<D, W>;
} & (NeedsInput<D, W> extends true
  ? { readonly input: InputMapping<D, W> }
  : { readonly input?: InputMapping<D, W> });

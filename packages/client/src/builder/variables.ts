import type { Json, JsonObject, WorkflowVariable } from '@baton/protocol';

/** The variables of a workflow, and the types of their values. */

export type VariableType = WorkflowVariable['type'];

/** The TypeScript type of a value, by the type that a variable declares. */
interface Values {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly object: JsonObject;
  readonly array: readonly Json[];
}

interface DeclarationOf<T extends VariableType> {
  readonly type: T;
  readonly description?: string;
  /** A run cannot start without a value. */
  readonly required?: boolean;
  readonly defaultValue?: Values[T];
  /** The value is sealed in the log, and never shown. */
  readonly sensitive?: boolean;
}

/** A type alone, or a type with a description, a default value and so on. */
export type VariableDeclaration = VariableType | { [T in VariableType]: DeclarationOf<T> }[VariableType];

export type Declarations = Readonly<Record<string, VariableDeclaration>>;

/** The names of the declared variables. */
export type NameIn<D extends Declarations> = keyof D & string;

export type TypeOf<V> = V extends VariableType
  ? V
  : V extends { readonly type: infer T extends VariableType }
    ? T
    : never;

/** The values of the variables, by name. */
export type ValuesOf<D extends Declarations> = { readonly [K in keyof D]: Values[TypeOf<D[K]>] };

/** The variables that a run must be given. */
export type RequiredIn<D extends Declarations> = {
  [K in NameIn<D>]: D[K] extends { readonly required: true } ? K : never;
}[NameIn<D>];

/** The inputs with which a run of a workflow with these variables can start. */
export type InputsOf<D extends Declarations> = Readonly<
  Pick<ValuesOf<D>, RequiredIn<D>> & Partial<Omit<ValuesOf<D>, RequiredIn<D>>>
>;

export function toVariables(declarations: Declarations): WorkflowVariable[] {
  return Object.entries(declarations).map(([name, declared]) =>
    typeof declared === 'string'
      ? { name, type: declared }
      : { name, ...(declared as DeclarationOf<'array'>) },
  ) as WorkflowVariable[];
}

export function toDeclarations(variables: readonly WorkflowVariable[]): Declarations {
  return Object.fromEntries(
    variables.map(({ name, ...declared }) => [name, declared as VariableDeclaration]),
  );
}

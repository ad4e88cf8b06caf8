import type { AgentPackage } from '@baton/protocol';

/** An agent, with the types of its task and its result. */
export interface AgentDefinition<Task = unknown, Result = unknown> {
  readonly id: string;
  readonly persona: string;
  readonly description?: string | undefined;
  /** The manifest and its files, as `POST /v1/agents` takes them. `JSON.stringify` writes the same. */
  toJSON(): AgentPackage;
  /** Only for the compiler: the types of the task and the result. */
  readonly '~types'?: { readonly task: Task; readonly result: Result };
}

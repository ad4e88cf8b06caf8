import type { ToolCall, ToolDescriptor, ToolResult } from '@baton/engine/ports';

/** A tool that can be called now. */
export interface ConnectedTool {
  readonly descriptor: ToolDescriptor;
  /** The names of secrets that a tenant must have set before it can call the tool. */
  readonly secrets: readonly string[];
  run(call: ToolCall): Promise<ToolResult>;
}

/** The value of a secret for this tenant, or undefined if it is not set. */
export type SecretOf = (tenant: string, name: string) => string | undefined | Promise<string | undefined>;

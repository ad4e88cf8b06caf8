import type { ToolDescriptor } from '@baton/engine/ports';
import type { JsonObject } from '@baton/protocol';

/** The tools of a host, as read from its tools file. */
export interface ToolsConfig {
  readonly mcp: readonly McpServerConfig[];
  readonly http: readonly HttpToolConfig[];
  readonly limits: readonly ToolLimit[];
}

export const NO_TOOLS: ToolsConfig = { mcp: [], http: [], limits: [] };

export type Repeatable = ToolDescriptor['repeatable'];

/** The value of a header or of an environment variable. `env` and `secret` are never shown. */
export type ConfiguredValue =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'env'; readonly text: string; readonly prefix: string }
  | { readonly kind: 'secret'; readonly name: string; readonly prefix: string };

export type ConfiguredValues = Readonly<Record<string, ConfiguredValue>>;

export type McpConnection =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly folder?: string;
      /** All that the process gets, apart from HOME, LOGNAME, PATH, SHELL, TERM and USER. */
      readonly env: ConfiguredValues;
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: ConfiguredValues };

export interface McpServerConfig {
  readonly name: string;
  readonly connection: McpConnection;
  /** The names of tools whose calls a person must approve. `*` stands for all. */
  readonly approval: readonly string[];
  /** Takes precedence over what the server says of its tools. */
  readonly repeatable: Readonly<Record<string, Repeatable>>;
  /** The scopes that a run must have, by the name of the tool. Those of `*` hold for all. */
  readonly scopes: Readonly<Record<string, readonly string[]>>;
  /** The names of its tools that `limits` has. They may end with `*`. */
  readonly limited?: readonly string[];
  readonly timeoutMs: number;
}

export interface HttpToolConfig {
  readonly name: string;
  readonly description?: string;
  readonly method: HttpMethod;
  /** With `{name}` in its path and query for arguments. */
  readonly url: string;
  readonly headers: ConfiguredValues;
  readonly parameters: JsonObject;
  readonly returns?: JsonObject;
  readonly repeatable: Repeatable;
  readonly approval: boolean;
  readonly scopes: readonly string[];
  /** The address may be one that is not of the public internet. */
  readonly private: boolean;
  readonly timeoutMs: number;
}

/** The longest time-out that a call of a tool can have. */
export const MAX_TIMEOUT_MS = 600_000;

export const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type HttpMethod = (typeof HTTP_METHODS)[number];

/** Each principal of a tenant may make so many calls to each of these tools. */
export interface ToolLimit {
  /** The id of a tool, or the beginning of ids with `*` at its end. */
  readonly tools: string;
  readonly calls: number;
  readonly perSeconds: number;
}

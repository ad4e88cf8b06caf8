import type {
  ApprovalAction,
  ChannelReducer,
  Json,
  JsonObject,
  Question,
  RejectionPolicy,
} from '@baton/protocol';

/**
 * The configuration of each node type that an author can use. `Variable` is a name of a variable of the workflow. The
 * host checks configurations again, with the schemas of the node types.
 */

interface ModelConfig {
  readonly provider: string;
  readonly model: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
  readonly providerOptions?: JsonObject;
}

export interface ApprovalConfig {
  readonly title?: string;
  readonly description?: string;
  readonly artifactType?: string;
  readonly actions?: readonly ApprovalAction[];
  readonly requiredApprovals?: number;
  readonly rejectionPolicy?: RejectionPolicy;
  readonly approversList?: readonly string[];
  readonly profile?: string;
  readonly overrideBypassesQuorum?: boolean;
  readonly timeoutMs?: number;
  /** After a rejection the node fails, unless this is `continue`. */
  readonly onReject?: 'fail' | 'continue';
}

interface Answerable {
  readonly timeoutMs?: number;
  readonly resumeSchema?: JsonObject;
}

export interface NodeConfigs<Variable extends string> {
  readonly 'core.ai.callPrompt': ModelConfig & { readonly systemPrompt?: string };
  readonly 'core.ai.structuredOutput': ModelConfig & {
    readonly outputSchema: JsonObject;
    readonly safetySettings?: Json;
    readonly retryOnInvalidJson?: number;
  };
  readonly 'core.approvalGate': ApprovalConfig;
  readonly 'core.channelWrite': {
    readonly channelName: string;
    readonly reducer?: ChannelReducer;
    readonly ttlMs?: number;
    readonly value?: Json;
  };
  readonly 'core.clarificationGate': {
    readonly questions: readonly Question[];
    readonly contextType?: string;
    readonly timeoutMs?: number;
  };
  readonly 'core.delay': { readonly delayMs?: number };
  readonly 'core.fail': { readonly code?: string; readonly message?: string };
  readonly 'core.identity': Readonly<Record<string, never>>;
  readonly 'core.interrupt':
    | ({
        readonly kind: 'external-event';
        readonly data: { readonly eventType: string; readonly correlation: JsonObject };
      } & Answerable)
    | ({
        readonly kind: 'custom';
        readonly data: { readonly customKind: string; readonly payload?: Json };
      } & Answerable);
  readonly 'core.noop': Readonly<Record<string, never>>;
  readonly 'vendor.baton.memory.forget': { readonly key?: string };
  readonly 'vendor.baton.memory.read': {
    readonly key?: string;
    readonly tag?: string;
    readonly search?: string;
    readonly limit?: number;
    /** The variable that the entries are written to. */
    readonly into?: Variable;
  };
  readonly 'vendor.baton.memory.write': {
    readonly key?: string;
    readonly content?: Json;
    readonly tags?: readonly string[];
    readonly ttlSeconds?: number;
  };
  readonly 'vendor.baton.workspace.read': { readonly path?: string; readonly into?: Variable };
  readonly 'vendor.baton.workspace.write': {
    readonly path?: string;
    readonly content?: Json;
    readonly contentType?: string;
  };
}

export type NodeTypeId = keyof NodeConfigs<string>;

import type {
  Agent,
  CreateRun,
  DrainPolicy,
  ErrorBody,
  ForkMode,
  ForkRun,
  Json,
  JsonObject,
  RetryRun,
  RunOrigin,
  RunStatus,
  WorkflowDefinition,
} from '@baton/protocol';
import type { EffectOutcome, ProgressOf } from './ports/effects.ts';
import type { MemoryRow } from './ports/memory.ts';
import type { RemoteCancel } from './ports/peers/remote-cancels.ts';
import type { TaskPushWrite } from './ports/reads/task-pushes.ts';
import type { RewrappedSecret } from './ports/store.ts';
import type { Backlogs, WebhookWrite } from './ports/webhooks.ts';
import type { Loss } from './ports/work-in-hand.ts';

/** The tenant and the principal that send a command. */
export interface Caller {
  readonly tenant: string;
  readonly principal: string;
}

/**
 * The key of a repeatable request. The reply is stored in the same transaction as the events of the command.
 */
export interface Idempotency {
  readonly key: string;
  readonly request: string;
  /** The owner of the remembered reply, if it is not the principal. Each signed link is a separate owner. */
  readonly owner?: string;
}

interface Asked {
  readonly caller: Caller;
  readonly idempotency?: Idempotency;
}

/** The open interrupt of a node, or an interrupt with an id. */
export type InterruptTarget =
  | { readonly nodeId: string; readonly interruptId?: string }
  | { readonly interruptId: string };

export interface CreateRunCommand extends Asked {
  readonly kind: 'create-run';
  readonly body: CreateRun;
  readonly traceparent?: string;
  /** The scopes of the run: at most those of its caller. A run without a list is not restricted. */
  readonly scopes?: readonly string[];
  /** How a run of an agent was started, if not by a request for a run. */
  readonly source?: 'chat-mention';
  /** The run of another host that asked for this one. Its runs above are at the beginning of the lineage. */
  readonly origin?: RunOrigin;
  readonly lineage?: readonly string[];
}
interface ResolveCommand extends Asked {
  readonly kind: 'resolve-interrupt';
  readonly runId: string;
  readonly target: InterruptTarget;
  readonly resumeValue: Json;
  /** True when the caller used a signed token instead of a key. */
  readonly viaToken: boolean;
  /** The scopes of the caller's key. A signed token has none. */
  readonly scopes: readonly string[];
}
export interface CancelCommand extends Asked {
  readonly kind: 'cancel-run';
  readonly runId: string;
  readonly reason?: string;
}
interface PauseCommand extends Asked {
  readonly kind: 'pause-run';
  readonly runId: string;
  readonly reason?: string;
  readonly drainPolicy: DrainPolicy;
}
interface ResumeCommand extends Asked {
  readonly kind: 'resume-run';
  readonly runId: string;
}
/** A command for a run that an extension of the engine carries out. Other engines refuse it. */
interface ExtensionOnRunCommand extends Asked {
  readonly kind: 'extension-on-run';
  readonly runId: string;
  readonly request: JsonObject;
}
export interface RegisterWorkflowCommand extends Asked {
  readonly kind: 'register-workflow';
  readonly definition: WorkflowDefinition;
  readonly shared: boolean;
  /** A definition that was registered before stays as it is, even if another one has taken its place since. */
  readonly onlyNew?: boolean;
}
/** Checks a definition as its registration would, and stores nothing. */
export interface CheckWorkflowCommand {
  readonly kind: 'check-workflow';
  readonly caller: Caller;
  /** Any JSON value. */
  readonly definition: unknown;
}
export interface RegisterAgentCommand extends Asked {
  readonly kind: 'register-agent';
  readonly agent: Agent;
  readonly shared: boolean;
  /** As for workflows. */
  readonly onlyNew?: boolean;
}
/** Erases the contents of an ended tree from the store. */
export interface EraseRunCommand extends Asked {
  readonly kind: 'erase-run';
  readonly runId: string;
  readonly reason: string;
}
/** The outside may have an outcome for an effect of the run, so its next try begins now. */
interface HastenEffectsCommand {
  readonly kind: 'hasten-effects';
  readonly runId: string;
}
/** Releases a held tree. */
export interface ReleaseRunCommand extends Asked {
  readonly kind: 'release-run';
  readonly runId: string;
}
/** A command for the engine as a whole that its extension carries out. Other engines refuse it. */
interface ExtensionCommand {
  readonly kind: 'extension';
  readonly request: JsonObject;
}
/** Forks a run. */
export interface ForkCommand extends Asked {
  readonly kind: 'fork-run';
  readonly runId: string;
  /** The scopes of the caller's key. A branch has at most these. */
  readonly scopes?: readonly string[];
  readonly body: ForkRun;
}
/** Retries the failed node of a failed run, in a new run. */
export interface RetryCommand extends Asked {
  readonly kind: 'retry-run';
  readonly runId: string;
  readonly scopes?: readonly string[];
  readonly body: RetryRun;
}
/** Writes a file of a workspace. */
export interface PutFileCommand extends Asked {
  readonly kind: 'put-file';
  readonly workspace: string;
  readonly path: string;
  readonly content: string;
  readonly contentType: string;
  /** The expected ETag of the file. The command is refused when the file has another one. */
  readonly ifMatch?: string;
}
export interface DeleteFileCommand extends Asked {
  readonly kind: 'delete-file';
  readonly workspace: string;
  readonly path: string;
  readonly ifMatch?: string;
}
/** Stores a secret. The value was encrypted before, so the command does not hold it. */
export interface PutSecretCommand extends Asked {
  readonly kind: 'put-secret';
  readonly name: string;
  readonly jwe: string;
}
export interface DeleteSecretCommand extends Asked {
  readonly kind: 'delete-secret';
  readonly name: string;
}
/** Stores encryptions of the same values with another key. */
interface RewrapSecretsCommand {
  readonly kind: 'rewrap-secrets';
  readonly secrets: readonly RewrappedSecret[];
}
/** Changes the pushes of a task. Credentials were encrypted before, so the command does not hold them. */
interface WriteTaskPushesCommand {
  readonly kind: 'write-task-pushes';
  readonly write: TaskPushWrite;
}
/** A peer was told that work is no longer wanted, or cannot be told. */
interface SettleRemoteCancelCommand {
  readonly kind: 'settle-remote-cancel';
  readonly cancel: RemoteCancel;
}
/** Changes a webhook, or what webhooks wait for. Keys were encrypted before, so the command does not hold them. */
interface WriteWebhooksCommand {
  readonly kind: 'write-webhooks';
  readonly write: WebhookWrite;
}
/** One try of an effect. */
interface OfEffect {
  readonly key: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly execution: number;
  readonly attempt: number;
  readonly step: number;
  readonly tries: number;
}
export interface EffectOutcomeCommand extends OfEffect {
  readonly kind: 'effect-outcome';
  readonly outcome: EffectOutcome;
}
/** Records a part of a text that an effect brings while it is under way. */
export interface EffectProgressCommand extends OfEffect {
  readonly kind: 'effect-progress';
  readonly chunk: string;
  readonly isLast: boolean;
  readonly of?: ProgressOf;
}

export type RunCommand =
  | ResolveCommand
  | CancelCommand
  | PauseCommand
  | ResumeCommand
  | ExtensionOnRunCommand
  | EffectOutcomeCommand
  | EffectProgressCommand;

export type Command =
  | CreateRunCommand
  | RunCommand
  | ForkCommand
  | RetryCommand
  | PutFileCommand
  | DeleteFileCommand
  | PutSecretCommand
  | DeleteSecretCommand
  | RewrapSecretsCommand
  | WriteWebhooksCommand
  | WriteTaskPushesCommand
  | SettleRemoteCancelCommand
  | RegisterWorkflowCommand
  | CheckWorkflowCommand
  | RegisterAgentCommand
  | HastenEffectsCommand
  | EraseRunCommand
  | ReleaseRunCommand
  | ExtensionCommand;

/** The reply to a command. `replayed` marks the remembered reply to an earlier request with the same key. */
export type Reply =
  | { readonly ok: true; readonly value: ReplyValue; readonly replayed: boolean }
  | { readonly ok: false; readonly error: ErrorBody };

/** A reason why a definition cannot be registered. */
export interface DefinitionProblem {
  /** The field, such as `nodes.1.config.delayMs`. */
  readonly path?: string;
  readonly nodeId?: string;
  readonly message: string;
}

export type ReplyValue =
  | { readonly kind: 'run'; readonly runId: string; readonly status: RunStatus }
  | {
      readonly kind: 'fork';
      readonly runId: string;
      readonly status: RunStatus;
      readonly sourceRunId: string;
      readonly fromSeq: number;
      /** The index that the caller named. */
      readonly requestedFromSeq?: number;
      readonly mode: ForkMode;
    }
  | {
      readonly kind: 'workflow';
      readonly workflowId: string;
      readonly version: number;
      readonly created: boolean;
      readonly warnings: readonly string[];
    }
  | {
      readonly kind: 'checked';
      readonly problems: readonly DefinitionProblem[];
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'erased'; readonly runId: string; readonly runs: number }
  /** What an extension has answered. */
  | { readonly kind: 'extension'; readonly value: Json }
  | { readonly kind: 'file'; readonly file: MemoryRow }
  | { readonly kind: 'secret'; readonly name: string; readonly updatedAt: number }
  | { readonly kind: 'webhooks'; readonly changed: number; readonly backlogs: Backlogs }
  | { readonly kind: 'task-pushes'; readonly changed: number }
  | { readonly kind: 'done' };

/** A run has new events or a new status. The notice is sent only after they were stored. */
export interface Notice {
  readonly runId: string;
  readonly lastSequence: number;
  readonly status: RunStatus;
}

/** The interface of the engine, which may run in this thread or in another. */
export interface Engine {
  execute(command: Command): Promise<Reply>;
  /**
   * Continues every tree that was under way. Before this call the engine only executes commands. `losses`
   * names the trees that were being computed when the engine was last lost.
   */
  recover(losses?: readonly Loss[]): Promise<void>;
  onNotices(listener: (notices: readonly Notice[]) => void): void;
  /**
   * Finishes the jobs under way and stops. When it resolves, the results of all accepted commands are stored.
   */
  stop(): Promise<void>;
}

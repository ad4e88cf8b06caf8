import type {
  CreateRun,
  DrainPolicy,
  ErrorBody,
  ForkMode,
  ForkRun,
  Json,
  RetryRun,
  RunStatus,
  WorkflowDefinition,
} from '@baton/protocol';
import type { ImportResult } from './bundle/import-result.ts';
import type { EffectOutcome } from './ports/effects.ts';
import type { MemoryRow } from './ports/memory.ts';
import type { Loss } from './ports/work-in-hand.ts';

/** Who asks. Tenant and principal travel with every command; nothing is ambient. */
export interface Caller {
  readonly tenant: string;
  readonly principal: string;
}

/** Remembered with the command's facts, in the same transaction. */
export interface Idempotency {
  readonly key: string;
  readonly request: string;
  /** Whose request it is, where the caller's principal does not tell: each signed link is an owner of its own. */
  readonly owner?: string;
}

interface Asked {
  readonly caller: Caller;
  readonly idempotency?: Idempotency;
}

/** Which interrupt is meant: the one open at a node, or one by its id (from a signed token). */
export type InterruptTarget = { readonly nodeId: string } | { readonly interruptId: string };

export interface CreateRunCommand extends Asked {
  readonly kind: 'create-run';
  readonly body: CreateRun;
  readonly traceparent?: string;
  /** What the run may do: at most what its caller may. A run without them is not restricted. */
  readonly scopes?: readonly string[];
}
interface ResolveCommand extends Asked {
  readonly kind: 'resolve-interrupt';
  readonly runId: string;
  readonly target: InterruptTarget;
  readonly resumeValue: Json;
  /** True when the caller came with a signed token instead of a key. */
  readonly viaToken: boolean;
  /** What the caller's key may do; a signed token on its own has none. */
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
/** Writes variables from outside. Carried out only where the conformance seams are open. */
interface SetVariablesCommand extends Asked {
  readonly kind: 'set-variables';
  readonly runId: string;
  readonly variables: Readonly<Record<string, Json>>;
}
export interface RegisterWorkflowCommand extends Asked {
  readonly kind: 'register-workflow';
  readonly definition: WorkflowDefinition;
  readonly shared: boolean;
}
/** Stores one part of a tree that another host has written. */
export interface ImportPartCommand extends Asked {
  readonly kind: 'import-part';
  /** A slice, as JSON. */
  readonly part: string;
  /** What the import came to, with its last part. */
  readonly result?: ImportResult;
}
/** There will be no further part. */
interface AbandonImportCommand {
  readonly kind: 'abandon-import';
  /** The root that the tree would have had. */
  readonly rootId: string;
}
/** Takes out of the store what a tree held that has ended. */
export interface EraseRunCommand extends Asked {
  readonly kind: 'erase-run';
  readonly runId: string;
  readonly reason: string;
}
/** Lets a tree that is held go on. */
export interface ReleaseRunCommand extends Asked {
  readonly kind: 'release-run';
  readonly runId: string;
}
/** Switches an advertised capability off or back on. Carried out only where the conformance seams are open. */
interface ToggleCommand {
  readonly kind: 'toggle-capability';
  readonly name: string;
  readonly value: boolean | null;
}
/** Makes a run out of another one's past. */
export interface ForkCommand extends Asked {
  readonly kind: 'fork-run';
  readonly runId: string;
  /** What the caller's key may do; a branch may do no more. */
  readonly scopes?: readonly string[];
  readonly body: ForkRun;
}
/** Goes on with a failed run at the node it failed at, in a run of its own. */
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
  /** Refused unless the file is as this says. */
  readonly ifMatch?: string;
}
export interface DeleteFileCommand extends Asked {
  readonly kind: 'delete-file';
  readonly workspace: string;
  readonly path: string;
  readonly ifMatch?: string;
}
export interface EffectOutcomeCommand {
  readonly kind: 'effect-outcome';
  readonly key: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly execution: number;
  readonly attempt: number;
  readonly outcome: EffectOutcome;
}

export type RunCommand =
  | ResolveCommand
  | CancelCommand
  | PauseCommand
  | ResumeCommand
  | SetVariablesCommand
  | EffectOutcomeCommand;

export type Command =
  | CreateRunCommand
  | RunCommand
  | ForkCommand
  | RetryCommand
  | PutFileCommand
  | DeleteFileCommand
  | RegisterWorkflowCommand
  | ImportPartCommand
  | AbandonImportCommand
  | EraseRunCommand
  | ReleaseRunCommand
  | ToggleCommand;

/** What a command came to. `replayed` marks the remembered reply of an earlier request with the same key. */
export type Reply =
  | { readonly ok: true; readonly value: ReplyValue; readonly replayed: boolean }
  | { readonly ok: false; readonly error: ErrorBody };

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
  | ({ readonly kind: 'imported' } & ImportResult)
  | { readonly kind: 'erased'; readonly runId: string; readonly runs: number }
  | { readonly kind: 'overlay'; readonly overlay: Readonly<Record<string, boolean>> }
  | { readonly kind: 'file'; readonly file: MemoryRow }
  | { readonly kind: 'done' };

/** A run moved. Sent only once the move is durable. */
export interface Notice {
  readonly runId: string;
  readonly lastSequence: number;
  readonly status: RunStatus;
}

/** The engine as the rest of the host sees it, whether it runs in this thread or another. */
export interface Engine {
  execute(command: Command): Promise<Reply>;
  /**
   * Goes on with every tree that was under way. Until then the engine carries out commands and nothing else. `losses`
   * names the trees that were being worked on when the engine was last lost.
   */
  recover(losses?: readonly Loss[]): Promise<void>;
  onNotices(listener: (notices: readonly Notice[]) => void): void;
  /** Finishes what is under way and stops; everything accepted is durable when it resolves. */
  stop(): Promise<void>;
}

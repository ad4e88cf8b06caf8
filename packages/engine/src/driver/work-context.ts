import type { SigningKey } from '../audit/signing-key.ts';
import type { Vault } from '../kernel/secrecy/vault.ts';
import type { Tree, World } from '../kernel/working-run.ts';
import { type NodeTypes, PRODUCT_NODES } from '../nodes/index.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { asksAgain } from './asks-again.ts';
import type { Conformance } from './conformance.ts';
import type { HostLimits } from './limits.ts';
import { type Lookups, lookupsOf } from './lookups.ts';
import { type Replies, repliesOf } from './replies.ts';
import { type StorageRoom, storageRoomOf } from './storage-room.ts';
import { ALL_ON, type SettableToggles, type Toggles } from './toggles.ts';
import type { HeldTrees } from './trees/held-trees.ts';
import { type TreeCache, treeCache } from './trees/tree-cache.ts';
import { type Workflows, workflowsOf } from './workflows.ts';

/** What all jobs share: the parts of the engine that they use, and the trees that are in memory. */

export interface JobRunnerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: HostLimits;
  readonly vault: Vault;
  readonly alwaysRefold: boolean;
  readonly auditKey?: SigningKey | undefined;
  readonly held: HeldTrees;
  readonly conformance?: Conformance | undefined;
  /** Milliseconds since some moment, to see how long work takes. */
  readonly elapsed: () => number;
  /** For every tree, in place of the usual one. */
  readonly share?: Share;
  readonly log: (level: 'warn' | 'error', message: string, fields: Record<string, unknown>) => void;
}

/** How much a tree may do before others have a turn. */
export interface Share {
  readonly events: number;
  readonly bytes: number;
  readonly ms: number;
}

export interface WorkContext extends JobRunnerOptions {
  readonly workflows: Workflows;
  readonly lookups: Lookups;
  readonly nodes: NodeTypes;
  readonly toggles: Toggles;
  /** Only where the conformance seams are open. */
  readonly settable: SettableToggles | undefined;
  readonly replies: Replies;
  readonly room: StorageRoom;
  readonly trees: TreeCache;
  /** The trees that gave a slice which is not stored yet. */
  readonly thisRound: Map<string, Tree>;
}

export function workContextOf(options: JobRunnerOptions): WorkContext {
  const { store, limits, conformance } = options;
  const nodes = conformance?.nodes ?? PRODUCT_NODES;
  const workflows = workflowsOf(store, nodes);
  const settable = conformance?.toggles();
  return {
    ...options,
    workflows,
    lookups: lookupsOf(store, workflows),
    nodes,
    toggles: settable ?? ALL_ON,
    settable,
    replies: repliesOf(store),
    room: storageRoomOf(store, limits.tenantBytes),
    trees: treeCache(),
    thisRound: new Map(),
  };
}

/** The host capabilities that nodes may ask for: there are none yet. */
const PROVIDED: ReadonlySet<string> = new Set();

export function worldAt({ limits, vault, toggles, lookups }: WorkContext, now: number): World {
  return {
    now,
    timestamp: new Date(now).toISOString(),
    limits,
    maxDepth: limits.maxDepth,
    maxEventBytes: limits.eventBytes,
    confidenceFloor: limits.confidenceFloor,
    chainEvents: toggles.isOn('multiAgent.executionModel'),
    provides: PROVIDED,
    asksAgain,
    transcriptWindow: limits.transcriptWindow,
    ...lookups.known,
    secret: vault.secret,
    redactor: vault.redactor,
    seal: vault.seal,
    opens: vault.opens,
  };
}

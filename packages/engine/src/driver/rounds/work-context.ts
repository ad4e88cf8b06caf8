import type { SigningKey } from '../../audit/signing-key.ts';
import type { Vault } from '../../kernel/secrecy/vault.ts';
import type { World } from '../../kernel/working-run.ts';
import { type NodeTypes, PRODUCT_NODES } from '../../nodes/index.ts';
import type { Clock, Ids } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { asksAgain } from '../asks-again.ts';
import type { Intending } from '../effects/effect-changes.ts';
import type { EngineExtension, OpenExtension } from '../extension.ts';
import { type HostLimits, limitsOfWorld } from '../limits.ts';
import { type Lookups, lookupsOf, type WorkspaceVersions, workspaceVersions } from '../lookups.ts';
import { type Replies, repliesOf } from '../replies.ts';
import { type StorageRoom, storageRoomOf } from '../storage-room.ts';
import type { HeldTrees } from '../trees/held-trees.ts';
import { type TreeCache, treeCache } from '../trees/tree-cache.ts';
import { type Workflows, workflowsOf } from '../workflows.ts';
import type { JobMeter } from './job-meter.ts';

export interface JobRunnerOptions extends Intending {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: HostLimits;
  readonly vault: Vault;
  readonly alwaysRefold: boolean;
  readonly auditKey?: SigningKey | undefined;
  readonly held: HeldTrees;
  readonly extension?: EngineExtension | undefined;
  /** How much a tree may do before others have a turn, in place of the usual share. */
  readonly share?: Share;
  /** Spans are exported. */
  readonly traced: boolean;
  readonly log: (level: 'warn' | 'error', message: string, fields: Record<string, unknown>) => void;
}

/** How much a tree may do before others have a turn. */
export interface Share {
  readonly events: number;
  readonly bytes: number;
  readonly ms: number;
}

/** The parts of the engine that jobs share: caches, and settings that never change. */
export interface Workplace extends JobRunnerOptions {
  readonly workflows: Workflows;
  readonly workspaces: WorkspaceVersions;
  readonly nodes: NodeTypes;
  readonly opened: OpenExtension | undefined;
  /** Whether the engine has a capability: all of them, unless an extension has switched it off. */
  readonly isOn: (capability: string) => boolean;
  readonly asksAgain: World['asksAgain'];
  readonly room: StorageRoom;
  readonly trees: TreeCache;
}

/** The parts of the engine as one job uses them. */
export interface WorkContext extends Workplace {
  readonly meter: JobMeter;
  readonly lookups: Lookups;
  readonly replies: Replies;
  /** True while no other job waits for the thread. */
  readonly alone: boolean;
}

export function workplaceOf(options: JobRunnerOptions): Workplace {
  const { store, limits, extension } = options;
  const nodes = extension?.nodes ?? PRODUCT_NODES;
  const opened = extension?.open();
  return {
    ...options,
    workflows: workflowsOf(store, nodes),
    workspaces: workspaceVersions(),
    nodes,
    opened,
    isOn: opened?.isOn ?? (() => true),
    asksAgain: opened
      ? (effect, models) => asksAgain(effect, models) || opened.isRepeatable(effect)
      : asksAgain,
    room: storageRoomOf(store, limits.tenantBytes),
    trees: treeCache(),
  };
}

export function contextOf(workplace: Workplace, meter: JobMeter, alone: boolean): WorkContext {
  const store = meteredStore(workplace.store, meter);
  const workflows = meteredWorkflows(workplace.workflows, meter);
  const lookups = lookupsOf(store, workflows, workplace.workspaces);
  return { ...workplace, store, workflows, lookups, replies: repliesOf(store), meter, alone };
}

/** The store as one job uses it. While the store prepares an answer, the job does not count as working. */
function meteredStore(store: Store, meter: JobMeter): Store {
  return new Proxy(store, {
    get(methods, name) {
      const method = Reflect.get(methods, name) as (...given: unknown[]) => Promise<unknown>;
      return (...given: unknown[]) => meter.outside(method.apply(store, given));
    },
  });
}

function meteredWorkflows({ newest, plan, ...others }: Workflows, meter: JobMeter): Workflows {
  return {
    ...others,
    newest: (tenant, id) => meter.outside(newest(tenant, id)),
    plan: (digest) => meter.outside(plan(digest)),
  };
}

/** The host capabilities that nodes may ask for: there are none yet. */
const PROVIDED: ReadonlySet<string> = new Set();

export function worldAt({ limits, vault, isOn, asksAgain, lookups }: WorkContext, now: number): World {
  return {
    now,
    timestamp: new Date(now).toISOString(),
    ...limitsOfWorld(limits),
    chainEvents: isOn('multiAgent.executionModel'),
    provides: PROVIDED,
    asksAgain,
    ...lookups.known,
    secret: vault.secret,
    redactor: vault.redactor,
    seal: vault.seal,
    opens: vault.opens,
  };
}

import { digest, type Json, remoteWorker, type WorkflowDefinition } from '@baton/protocol';
import { type Plan, planOf } from '../kernel/graph/plan.ts';
import type { ResolvedWorkflow } from '../kernel/working-run.ts';
import { absentType } from '../nodes/absent.ts';
import type { NodeTypes } from '../nodes/index.ts';
import { remoteDefinition } from '../nodes/remote/remote-definition.ts';
import { SHARED_TENANT, type Store } from '../ports/store.ts';

/** Plans of definitions, and the newest version of each workflow id. Plans never change; the version may. */

const MAX_PLANS = 500;
/** A bound is needed because callers can ask for any number of ids that are not registered. */
const MAX_NAMES = 10_000;

export interface Workflows {
  /** The newest version, if it is in memory. `unknown` when the store must be read. */
  known(tenant: string, id: string): ResolvedWorkflow | 'absent' | 'unknown';
  newest(tenant: string, id: string): Promise<ResolvedWorkflow | undefined>;
  plan(digest: string): Promise<Plan>;
  /** The workflow has another version: the next look-up asks the store. */
  forget(tenant: string, id: string): void;
  /** Any workflow may have another version. */
  forgetAll(): void;
}

export function workflowsOf(store: Store, nodes: NodeTypes): Workflows {
  const plans = new Map<string, Plan>();
  const newest = new Map<string, ResolvedWorkflow | 'absent'>();
  const keyOf = (tenant: string, id: string) => `${tenant}\n${id}`;
  /** Counts registrations. A version that was read before a registration may no longer be the newest. */
  let registrations = 0;

  async function plan(wanted: string): Promise<Plan> {
    const found = plans.get(wanted);
    if (found) return found;
    const text = await store.definition(wanted);
    if (text === undefined) throw new Error(`definition ${wanted} is not in the store`);
    return keep(JSON.parse(text) as WorkflowDefinition, wanted);
  }

  function keep(definition: WorkflowDefinition, wanted: string): Plan {
    const made = planOf(definition, wanted, (typeId) => nodes.of(typeId) ?? absentType(typeId));
    if (plans.size >= MAX_PLANS) {
      plans.clear();
      newest.clear();
    }
    plans.set(wanted, made);
    return made;
  }

  return {
    plan,
    known: (tenant, id) => newest.get(keyOf(tenant, id)) ?? 'unknown',
    async newest(tenant, id) {
      const key = keyOf(tenant, id);
      const found = newest.get(key);
      if (found !== undefined && found !== 'absent') return found;
      const before = registrations;
      const record = (await store.workflow(tenant, id)) ?? (await remoteWorkflow(store, id));
      const resolved = record && { version: record.version, plan: await plan(record.digest) };
      if (newest.size >= MAX_NAMES) newest.clear();
      if (registrations === before) newest.set(key, resolved ?? 'absent');
      return resolved;
    },
    forgetAll() {
      registrations += 1;
      newest.clear();
    },
    forget(tenant, id) {
      registrations += 1;
      if (tenant === SHARED_TENANT) {
        for (const key of [...newest.keys()]) if (key.endsWith(`\n${id}`)) newest.delete(key);
      } else newest.delete(keyOf(tenant, id));
    },
  };
}

/**
 * The workflow of a worker of another host. It is made when it is first asked for, and stored, because runs name
 * their definitions by digests. Whether the peer is known is found out when its run begins.
 */
async function remoteWorkflow(store: Store, id: string) {
  const remote = remoteWorker(id);
  if (remote === undefined) return undefined;
  const definition = remoteDefinition(id, remote);
  const digest = definitionDigest(definition);
  const text = JSON.stringify(definition);
  const { version } = await store.putWorkflow({
    tenant: SHARED_TENANT,
    id,
    digest,
    definition: text,
    createdAt: 0,
  });
  return { version, digest };
}

export function definitionDigest(definition: WorkflowDefinition): string {
  return digest(definition as unknown as Json);
}

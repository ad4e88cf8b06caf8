import type { AgentRef, Decision, Json, WorkflowEdge, WorkflowNode } from '@baton/protocol';
import type { AgentDefinition } from './agent-definition.ts';
import { type Gate, gateSettings } from './gate.ts';
import type { Declarations } from './variables.ts';
import { idOf, type Mappings, type Worker } from './workers.ts';

/** A supervisor and the node that hands its work out, from one description. */

/** A decision of a plan. Workers are named by their names in `workers`. */
export type PlannedDecision<Name extends string> =
  | { readonly next: Name | readonly Name[]; readonly confidence?: number }
  | {
      readonly terminate: string;
      readonly confidence?: number;
      readonly successCriteria?: readonly { readonly key: string; readonly met: boolean }[];
    }
  | { readonly ask: string };

interface Place {
  readonly name?: string;
  readonly position?: { readonly x: number; readonly y: number };
}

interface LeadNode<Id extends string> extends Place {
  readonly id?: Id;
}

/** The supervisor: an agent that thinks, a plan that is known before, or an expression. */
export type Lead<Id extends string, Name extends string, Decide> =
  | AgentDefinition
  | (LeadNode<Id> & {
      readonly agent: string | AgentRef | AgentDefinition;
      readonly plan?: never;
      readonly decide?: never;
    })
  | (LeadNode<Id> & {
      readonly agent?: string | AgentRef | AgentDefinition;
      readonly plan: readonly PlannedDecision<Name>[];
      readonly decide?: never;
    })
  | (LeadNode<Id> & {
      readonly agent?: string | AgentRef | AgentDefinition;
      readonly plan?: never;
      /** Gives a decision; its bindings are `turn`, `variables`, `inputs` and `nodes`. */
      readonly decide: Decide;
    });

/** A worker, with what it is given and what is taken over from it. */
export type WorkerOptions<D extends Declarations, W> = Mappings<D, W> & {
  readonly run: W;
  /** For a supervisor that thinks: what the worker is good for. Its own description if absent. */
  readonly description?: string;
};

interface HandOut<Id extends string> extends Place {
  readonly id?: Id;
  readonly iterationCap?: number;
  readonly fanOutPolicy?: 'sequential' | 'reject';
  readonly askUserRouting?: 'auto' | 'clarification';
  readonly memoryScopeIsolation?: 'inherit' | 'isolated';
}

export interface Supervision<
  D extends Declarations,
  R extends Readonly<Record<string, Worker>>,
  LeadId extends string,
  HandOutId extends string,
  Decide,
> {
  readonly lead: Lead<LeadId, NoInfer<keyof R & string>, Decide>;
  readonly workers: { readonly [K in keyof R]: WorkerOptions<D, R[K]> };
  /** The checks before the outputs of a worker become variables of this workflow. */
  readonly gate?: Gate;
  /** The node that hands the work out. */
  readonly handOut?: HandOut<HandOutId>;
}

interface LooseWorker {
  readonly run: Worker;
  readonly description?: string;
  readonly input?: Readonly<Record<string, string>>;
  readonly output?: Readonly<Record<string, string>>;
}

export interface LooseSupervision {
  readonly lead: Lead<string, string, string>;
  readonly workers: Readonly<Record<string, LooseWorker>>;
  readonly gate?: Gate;
  readonly handOut?: HandOut<string>;
}

export const LEAD = 'lead';
export const HAND_OUT = 'hand-out';

/** The two nodes of a supervision and the edges between them. */
export function supervision({ lead: given, workers, gate, handOut = {} }: LooseSupervision): {
  readonly nodes: readonly WorkflowNode[];
  readonly edges: readonly WorkflowEdge[];
} {
  const lead = 'toJSON' in given ? { agent: given } : given;
  const leadNode = leadNodeOf(lead, workers);
  const handOutNode = handOutNodeOf(handOut, workers, gate);
  return {
    nodes: [leadNode, handOutNode],
    edges: [
      { id: 'to-workers', sourceNodeId: leadNode.id, targetNodeId: handOutNode.id },
      { id: 'next-turn', sourceNodeId: handOutNode.id, targetNodeId: leadNode.id },
    ],
  };
}

type LeadOptions = Exclude<LooseSupervision['lead'], AgentDefinition>;

function leadNodeOf(lead: LeadOptions, workers: LooseSupervision['workers']): WorkflowNode {
  const { id = LEAD, name, position, agent, plan, decide } = lead;
  const config: Record<string, Json> = {};
  if (plan !== undefined) {
    config.script = plan.map((decision) => decisionOf(decision, workers)) as unknown as Json;
  } else if (decide === undefined) config.workers = Object.values(workers).map(choiceOf);
  return {
    id,
    typeId: 'core.orchestrator.supervisor',
    ...(name !== undefined && { name }),
    ...(position && { position }),
    config,
    ...(decide !== undefined && { settings: { decide } }),
    ...(agent !== undefined && { agent: agentRef(agent) }),
  };
}

export function agentRef(agent: string | AgentRef | AgentDefinition): AgentRef {
  if (typeof agent === 'string') return { agentId: agent };
  return 'toJSON' in agent ? { agentId: agent.id } : agent;
}

function choiceOf({ run, description }: LooseWorker): Json {
  const told = description ?? (typeof run === 'string' ? undefined : run.description);
  return { id: idOf(run), ...(told !== undefined && { description: told }) };
}

function decisionOf(planned: PlannedDecision<string>, workers: LooseSupervision['workers']): Decision {
  if ('next' in planned) {
    const { next, ...rest } = planned;
    const names = typeof next === 'string' ? [next] : next;
    return { kind: 'next-worker', nextWorkerIds: names.map((name) => workerNamed(name, workers)), ...rest };
  }
  if ('ask' in planned) return { kind: 'ask-user', prompt: planned.ask };
  const { terminate: reason, confidence, successCriteria } = planned;
  return {
    kind: 'terminate',
    reason,
    ...(confidence !== undefined && { confidence }),
    ...(successCriteria && { successCriteria: [...successCriteria] }),
  };
}

function workerNamed(name: string, workers: LooseSupervision['workers']): string {
  const worker = Object.hasOwn(workers, name) ? workers[name] : undefined;
  if (worker === undefined)
    throw new TypeError(`The plan names the worker "${name}", which is not in "workers".`);
  return idOf(worker.run);
}

/** One worker has the mappings of the node; several have a mapping each. */
function handOutNodeOf(
  { id = HAND_OUT, name, position, ...config }: HandOut<string>,
  workers: LooseSupervision['workers'],
  gate: Gate | undefined,
): WorkflowNode {
  const all = Object.values(workers);
  const [only] = all;
  const mappings =
    all.length === 1 && only
      ? {
          ...(only.input && { inputMapping: only.input }),
          ...(only.output && { outputMapping: only.output }),
        }
      : {
          ...perWorker('perWorkerInputMappings', all, 'input'),
          ...perWorker('perWorkerOutputMappings', all, 'output'),
        };
  const settings = gate && gateSettings(gate);
  return {
    id,
    typeId: 'core.dispatch',
    ...(name !== undefined && { name }),
    ...(position && { position }),
    config: { ...mappings, ...(config as Record<string, Json>) },
    ...(settings && { settings }),
  };
}

function perWorker(
  field: string,
  workers: readonly LooseWorker[],
  side: 'input' | 'output',
): Record<string, Json> {
  const mapped = workers.filter((worker) => worker[side] !== undefined);
  if (mapped.length === 0) return {};
  return { [field]: Object.fromEntries(mapped.map((worker) => [idOf(worker.run), worker[side] ?? {}])) };
}

import type { WaitingInterrupt } from '@baton/protocol';
import { type Agents, agents } from './agents.ts';
import { type Audit, audit } from './audit.ts';
import { type HostOperations, hostOperations } from './host.ts';
import { baseOf } from './http/address.ts';
import { DEFAULT_PATIENCE, type Patience } from './http/backoff.ts';
import type { CallOptions, CommandOptions, Connection, Fetch } from './http/connection.ts';
import type { Answer, Query } from './http/contract-types.ts';
import { all } from './http/pages.ts';
import { ask } from './http/request.ts';
import {
  answerAt,
  type InterruptAnswer,
  type InterruptLinks,
  type InterruptPlace,
  interruptLinks,
  openInterrupts,
  type RunMoved,
} from './interrupts.ts';
import { type Memory, memory } from './memory.ts';
import type { Run } from './runs/run.ts';
import { runHandle } from './runs/run-handle.ts';
import { type Runs, runs } from './runs/runs.ts';
import { type Secrets, secrets } from './secrets.ts';
import { type SessionOperations, sessionOperations } from './session.ts';
import { type Webhooks, webhooks } from './webhooks.ts';
import { type Workflows, workflows } from './workflows.ts';
import { type Workspace, workspace } from './workspace.ts';

/** What the tenant has used today and this month, and its limits. */
export type Usage = Answer<'readUsage'>;
/** What the tenant has used on each of the last days, and which agents used it. */
export type UsageHistory = Answer<'readUsageHistory'>;
/** The classes of models, their providers, and whether these work. */
export type ModelList = Answer<'listModels'>;
/** The other hosts that the operator knows. */
export type PeerList = Answer<'listPeers'>;

export interface ConnectOptions {
  /** The address of the host, such as `http://127.0.0.1:4747`. */
  readonly url: string;
  /** An API key of the host. Public routes, such as the health of the host, need none. */
  readonly key?: string;
  /** Takes the place of the global `fetch`, for example to send requests through a proxy. */
  readonly fetch?: Fetch;
  /** How often and how long the client tries again. */
  readonly patience?: Patience;
}

/** A host, as the holder of one key can use it. */
export interface Baton {
  readonly url: string;
  readonly runs: Runs;
  readonly workflows: Workflows;
  readonly agents: Agents;
  readonly memory: Memory;
  readonly workspace: Workspace;
  readonly secrets: Secrets;
  readonly webhooks: Webhooks;
  readonly audit: Audit;
  readonly host: HostOperations;
  /** Who the caller is, and how people sign in with a browser. */
  readonly session: SessionOperations;
  /** Interrupts by their signed links, for people without an API key. */
  readonly links: InterruptLinks;
  /** The handle of a run. The host is not asked whether the run exists. */
  run(runId: string): Run;
  /** The open interrupts of all runs of the tenant, oldest first. */
  inbox(options?: CallOptions): Promise<readonly WaitingInterrupt[]>;
  /** Answers an interrupt of the inbox. */
  answer(place: InterruptPlace, answer: InterruptAnswer, options?: CommandOptions): Promise<RunMoved>;
  models(options?: CallOptions): Promise<ModelList>;
  peers(options?: CallOptions): Promise<PeerList>;
  usage(options?: CallOptions): Promise<Usage>;
  /** The use of each of the last days, which are 30 unless `days` says otherwise; `by: 'agent'` adds that of agents. */
  usageHistory(options?: Query<'readUsageHistory'> & CallOptions): Promise<UsageHistory>;
}

/**
 * A client of one host. Nothing is sent before the first call.
 *
 * @example
 * ```ts
 * import { connect } from '@baton/client';
 *
 * const baton = connect({ url: 'http://127.0.0.1:4747', key: 'a-key' });
 * const run = await baton.runs.start('vetted-report', { topic: 'tides' });
 * console.log((await run.result()).variables);
 * ```
 */
export function connect(options: ConnectOptions): Baton {
  if (options.key !== undefined && !/^[\x21-\x7e]+$/.test(options.key)) {
    throw new TypeError('The key has a space, a line break or another character that no API key has.');
  }
  const connection: Connection = {
    base: baseOf(options.url),
    key: options.key,
    // The global function must be called without another object as its receiver, or browsers refuse the call.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    patience: { ...DEFAULT_PATIENCE, ...options.patience },
  };
  return {
    url: connection.base,
    runs: runs(connection),
    workflows: workflows(connection),
    agents: agents(connection),
    memory: memory(connection),
    workspace: workspace(connection),
    secrets: secrets(connection),
    webhooks: webhooks(connection),
    audit: audit(connection),
    host: hostOperations(connection),
    session: sessionOperations(connection),
    links: interruptLinks(connection),
    run: (runId) => runHandle(connection, runId),
    inbox: (given) => all(openInterrupts(connection, given)),
    answer: (place, answer, given = {}) => answerAt(connection, place, answer, given),
    models: (given) => ask(connection, 'listModels', given),
    peers: (given) => ask(connection, 'listPeers', given),
    usage: (given) => ask(connection, 'readUsage', given),
    usageHistory: ({ signal, ...query } = {}) => ask(connection, 'readUsageHistory', { query, signal }),
  };
}

import type { WaitingInterrupt } from '@baton/protocol';
import { type Agents, agents } from './agents.ts';
import { baseOf } from './http/address.ts';
import { DEFAULT_PATIENCE, type Patience } from './http/backoff.ts';
import type { CallOptions, CommandOptions, Connection, Fetch } from './http/connection.ts';
import { all } from './http/pages.ts';
import {
  answerAt,
  type InterruptAnswer,
  type InterruptLinks,
  type InterruptPlace,
  interruptLinks,
  openInterrupts,
  type RunMoved,
} from './interrupts.ts';
import type { Run } from './runs/run.ts';
import { runHandle } from './runs/run-handle.ts';
import { type Runs, runs } from './runs/runs.ts';
import { type Workflows, workflows } from './workflows.ts';

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
  readonly links: InterruptLinks;
  /** The handle of a run. The host is not asked whether the run exists. */
  run(runId: string): Run;
  /** The open interrupts of all runs of the tenant, oldest first. */
  inbox(options?: CallOptions): Promise<readonly WaitingInterrupt[]>;
  /** Answers an interrupt of the inbox. */
  answer(place: InterruptPlace, answer: InterruptAnswer, options?: CommandOptions): Promise<RunMoved>;
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
    links: interruptLinks(connection),
    run: (runId) => runHandle(connection, runId),
    inbox: (given) => all(openInterrupts(connection, given)),
    answer: (place, answer, given = {}) => answerAt(connection, place, answer, given),
  };
}

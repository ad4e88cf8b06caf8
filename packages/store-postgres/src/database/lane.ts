import { StoreUnavailableError } from '@baton/engine/ports';
import pg from 'pg';
import { CONNECTION_SETTINGS, queriesOn, SHORT_STATEMENTS } from './connections.ts';
import type { Queries } from './database.ts';
import { storeFailure } from './faults.ts';

/** A connection of its own, for transactions that leave in one write. */
export interface Lane {
  /** The open connection, or a new one if it was lost. */
  connected(): Promise<LaneConnection>;
  close(): Promise<void>;
}

export interface LaneConnection {
  readonly queries: Queries;
  /** Everything that `send` sends leaves in one write. */
  together<T>(send: () => T): T;
  /** A statement without values, such as COMMIT. Answers what Postgres has done: `ROLLBACK` for a failed transaction. */
  command(text: string): Promise<string>;
  /** Ends the connection. What is under way fails. */
  drop(): void;
}

/**
 * The statements of the lane find rows by their keys. A plan is made once for all values: a plan for the values of one
 * group would take longer than its execution, and rows are locked in the order in which they are given.
 */
const PLANS = ['plan_cache_mode = force_generic_plan', "work_mem = '64MB'"]
  .concat(['hashjoin', 'mergejoin', 'seqscan', 'bitmapscan'].map((kind) => `enable_${kind} = off`))
  .map((setting) => `SET ${setting}`)
  .join('; ');

export function laneTo(url: string): Lane {
  let current: Promise<LaneConnection> | undefined;
  let closed = false;

  async function open(): Promise<LaneConnection> {
    const client = new pg.Client({
      ...CONNECTION_SETTINGS,
      ...SHORT_STATEMENTS,
      connectionString: url,
      application_name: 'baton commits',
    });
    const lost = () => {
      current = undefined;
    };
    client.on('error', lost);
    client.on('end', lost);
    try {
      await client.connect();
      await client.query(PLANS);
    } catch (error) {
      drop(client);
      throw storeFailure(error);
    }
    return laneOn(client);
  }

  return {
    connected() {
      if (closed) return Promise.reject(new StoreUnavailableError(new Error('the store is closed')));
      const opening = current ?? open();
      current = opening;
      // The next use tries again.
      opening.catch(() => {
        if (current === opening) current = undefined;
      });
      return opening;
    },
    async close() {
      closed = true;
      const open = await current?.catch(() => undefined);
      open?.drop();
    },
  };
}

function laneOn(client: pg.Client): LaneConnection {
  return {
    queries: queriesOn(client),
    together(send) {
      const { stream } = client.connection;
      stream.cork();
      try {
        return send();
      } finally {
        stream.uncork();
      }
    },
    async command(text) {
      try {
        return (await client.query(text)).command;
      } catch (error) {
        throw storeFailure(error);
      }
    },
    drop: () => drop(client),
  };
}

function drop(client: pg.Client): void {
  client.end().catch(() => undefined);
}

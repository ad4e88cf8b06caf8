import type { Queries } from '../database/database.ts';

/** As many runs as a number of the sequence stands for. It is the step of the sequence, so it never changes. */
const BLOCK = 64;
const MOST_BLOCKS = 16;

/**
 * Numbers of runs rise with time, also across hosts, because lists of runs are sorted by them. Therefore numbers that
 * were fetched longer ago than this are not used.
 */
const FRESH_MS = 250;

/** Numbers for new runs. They are fetched before they are needed, so that a busy host does not wait for them. */
export interface NumberPool {
  /** Rising numbers, all greater than those that were taken before. */
  take(queries: Queries, count: number): Promise<readonly number[]>;
}

interface Block {
  next: number;
  readonly end: number;
  readonly fetchedAt: number;
}

export function numberPool(now: () => number = () => performance.now()): NumberPool {
  let blocks: Block[] = [];
  let fetching: Promise<void> | undefined;
  /** How many numbers were taken since the last fetch. A busy host fetches more at once. */
  let demand = 0;

  function available(): number {
    const oldest = now() - FRESH_MS;
    blocks = blocks.filter(({ fetchedAt, next, end }) => fetchedAt >= oldest && next < end);
    return blocks.reduce((sum, { next, end }) => sum + end - next, 0);
  }

  async function fetch(queries: Queries, wanted: number): Promise<void> {
    const count = Math.max(Math.ceil(wanted / BLOCK), Math.min(Math.ceil((2 * demand) / BLOCK), MOST_BLOCKS));
    demand = 0;
    const rows = await queries.rows<{ first: number }>(FETCH, count);
    const fetchedAt = now();
    for (const { first } of rows) blocks.push({ next: first, end: first + BLOCK, fetchedAt });
  }

  /** One fetch at a time, so that the numbers of later blocks are greater. */
  function fetchMore(queries: Queries, wanted: number): Promise<void> {
    fetching ??= fetch(queries, wanted).finally(() => {
      fetching = undefined;
    });
    return fetching;
  }

  function taken(count: number): readonly number[] {
    const numbers: number[] = [];
    for (const block of blocks) {
      while (block.next < block.end && numbers.length < count) numbers.push(block.next++);
    }
    return numbers;
  }

  return {
    async take(queries, count) {
      if (count === 0) return [];
      demand += count;
      while (available() < count) await fetchMore(queries, count);
      const numbers = taken(count);
      // If this fails, the next one that needs numbers is told.
      if (available() < demand) fetchMore(queries, BLOCK).catch(() => undefined);
      return numbers;
    },
  };
}

const FETCH = "SELECT nextval('run_numbers') AS first FROM generate_series(1, $1::bigint)";

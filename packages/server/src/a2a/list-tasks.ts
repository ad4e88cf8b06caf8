import type { ListTasksRequest, ListTasksResponse, Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import type { RunRow } from '@baton/engine/ports';
import { parse } from '@baton/protocol';
import Type from 'typebox';
import { isShownTo } from '../published/shown-runs.ts';
import { withHistory } from './history.ts';
import { isAsking, listedTask, type ReadCall } from './read-tasks.ts';
import { CONTEXT_TAG, taskState } from './task.ts';

/** Lists the tasks of the caller's tenant, the newest first. */

const PAGE_SIZE = 50;
/** A page with artifacts reads the log of each run, so it is shorter. */
const LARGEST_WITH_ARTIFACTS = 20;
/** Pages of the store that are looked through for one page of tasks. */
const MOST_LOOKS = 10;

const Asked = Type.Object({
  contextId: Type.String({ maxLength: 200 }),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  pageToken: Type.String({ maxLength: 512 }),
  statusTimestampAfter: Type.Optional(Type.String({ format: 'date-time' })),
});

export async function listTasks(call: ReadCall, asked: ListTasksRequest): Promise<ListTasksResponse> {
  parse(Asked, asked, 'params');
  const withArtifacts = asked.includeArtifacts === true;
  const largest = withArtifacts ? LARGEST_WITH_ARTIFACTS : 100;
  const pageSize = Math.min(asked.pageSize ?? PAGE_SIZE, largest);
  const { rows, next } = await rowsFor(call, asked, pageSize);
  const tasks: Task[] = [];
  for (const row of rows) {
    const task = await listedTask(call, row, withArtifacts);
    // The history of many tasks is read only where it is asked for.
    tasks.push(await withHistory(call, task, asked.historyLength ?? 0));
  }
  return { tasks, nextPageToken: next ?? '', pageSize, totalSize: await countOf(call, asked) };
}

interface Rows {
  readonly rows: readonly RunRow[];
  readonly next: string | undefined;
}

async function rowsFor(call: ReadCall, asked: ListTasksRequest, pageSize: number): Promise<Rows> {
  const rows: RunRow[] = [];
  let next: string | undefined = asked.pageToken === '' ? undefined : asked.pageToken;
  for (let looks = 0; looks < MOST_LOOKS && rows.length < pageSize; looks += 1) {
    const page = await pageOf(call, asked, pageSize - rows.length, next);
    rows.push(...(await askedOf(call, asked, page.items)));
    next = page.next;
    if (next === undefined) break;
  }
  return { rows, next };
}

/** The protocol wants the number of all tasks. It is counted up to a bound. */
async function countOf(call: ReadCall, asked: ListTasksRequest): Promise<number> {
  let count = 0;
  let next: string | undefined;
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const page = await pageOf(call, asked, 200, next);
    count += (await askedOf(call, asked, page.items)).length;
    next = page.next;
    if (next === undefined) break;
  }
  return count;
}

function pageOf(
  { host, identity }: ReadCall,
  { contextId }: ListTasksRequest,
  limit: number,
  cursor?: string,
) {
  const tag = contextId === '' ? undefined : CONTEXT_TAG + contextId;
  return host.reads.runs({
    tenant: identity.tenant,
    ...(tag !== undefined && { tag }),
    limit,
    ...(cursor !== undefined && { cursor }),
  });
}

async function askedOf(
  call: ReadCall,
  { status, statusTimestampAfter }: ListTasksRequest,
  rows: readonly RunRow[],
): Promise<readonly RunRow[]> {
  const after = statusTimestampAfter === undefined ? 0 : Date.parse(statusTimestampAfter);
  const shown = rows.filter((row) => row.updatedAt >= after && isShownTo(call.identity, row));
  if (status === TaskState.TASK_STATE_UNSPECIFIED) return shown;
  const states = await Promise.all(
    shown.map(async (row) => taskState(row.status, await isAsking(call, row))),
  );
  return shown.filter((_, index) => states[index] === status);
}

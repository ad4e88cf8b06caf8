import type { ServerResponse } from 'node:http';
import type { RunRow } from '@baton/engine/ports';
import type { FastifyReply } from 'fastify';
import type { HostContext } from '../http/context.ts';
import { takeOver } from '../http/take-over.ts';
import { createPages } from './pages.ts';

const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' };

/**
 * Sends a stored log as one JSON document: `{"events":[…]` and then `closing`. Stored text is sent unchanged,
 * one page at a time, so a long log is never held in memory.
 */
export async function sendLog(
  host: Pick<HostContext, 'reads' | 'log' | 'turns'>,
  reply: FastifyReply,
  run: RunRow,
  from: number,
  closing: string,
): Promise<void> {
  const pages = createPages(host.reads, run, from);
  // Events that are stored while the answer is being sent are left to the next answer.
  const readPage = async (): Promise<string> => {
    const left = Math.max(0, run.head - pages.position());
    return left === 0 ? '' : (await pages.read()).slice(0, left).join(',');
  };
  let text = `{"events":[${await readPage()}`;
  const response = takeOver(reply, HEADERS);
  try {
    for (;;) {
      // Requests of others are served between two pages.
      await new Promise<void>((resolve) => host.turns.take(run.tenant, resolve));
      if (response.destroyed) return;
      const page = await readPage();
      if (response.destroyed) return;
      if (page === '') break;
      if (!response.write(text)) await taken(response);
      if (response.destroyed) return;
      text = `,${page}`;
    }
    response.end(text + closing);
  } catch (error) {
    host.log.error({ err: error, runId: run.runId }, 'cannot read the log of a run');
    response.destroy();
  }
}

/** Resolves when the reader has taken the data sent before, or has gone. */
function taken(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

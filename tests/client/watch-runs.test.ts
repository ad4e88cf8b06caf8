import { connect, type RunsChange } from '@baton/client';
import { expect, it } from 'vitest';

/** The feed of runs over connections that are lost. */

const run = (runId: string) => ({
  runId,
  workflowId: 'w',
  status: 'running',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
});
const RESET = 'event: reset\ndata: {}\n\n';
const frame = (runId: string) => `event: run\ndata: ${JSON.stringify(run(runId))}\n\n`;

/** A host that answers each request for the feed with the next text, and then refuses the key. */
function hostOf(...texts: readonly string[]) {
  let asked = 0;
  const baton = connect({
    url: 'http://host.example',
    key: 'a-key',
    patience: { firstDelayMs: 0, longestDelayMs: 0 },
    async fetch(url, { signal }) {
      signal?.throwIfAborted();
      expect(new URL(url).pathname).toBe('/v1/runs:watch');
      const text = texts[asked];
      asked += 1;
      if (text === undefined) {
        return Response.json({ error: 'unauthenticated', message: 'The key was revoked.' }, { status: 401 });
      }
      return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  return { baton, asked: () => asked };
}

it('is opened again when it ends, and tells the caller to read the list again', async () => {
  const { baton, asked } = hostOf(
    `${RESET}${frame('a')}`,
    `${RESET}: keep-alive\n\n${frame('b')}event: later\ndata: 1\n\n`,
  );
  const heard: RunsChange[] = [];
  const reading = async () => {
    for await (const change of baton.runs.watch()) heard.push(change);
  };
  await expect(reading()).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(heard).toEqual([
    { kind: 'reset' },
    { kind: 'run', run: run('a') },
    { kind: 'reset' },
    { kind: 'run', run: run('b') },
  ]);
  expect(asked()).toBe(3);
});

it('ends when the caller aborts or leaves', async () => {
  const { baton, asked } = hostOf(`${RESET}${frame('a')}`, RESET);
  for await (const change of baton.runs.watch()) if (change.kind === 'run') break;
  expect(asked()).toBe(1);
  const leaving = new AbortController();
  leaving.abort(new Error('enough'));
  await expect(baton.runs.watch({ signal: leaving.signal }).next()).rejects.toThrow('enough');
});

import type { RunEvent } from '@baton/protocol';
import type { Answer, TestHost } from './host.ts';

/** What tests of forks do with a host, over and over. */

interface Rewinding {
  fork(runId: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** A fork that is accepted, once it has ended. */
  forked(runId: string, body: object): Promise<{ readonly runId: string; readonly status: string }>;
  events(runId: string): Promise<readonly RunEvent[]>;
  /** Waits until the run has ended, and answers with its snapshot. */
  ended(runId: string): Promise<Answer['body']>;
}

export function rewinding(host: () => TestHost): Rewinding {
  const fork: Rewinding['fork'] = (runId, body, headers = {}) =>
    host().post(`/v1/runs/${runId}:fork`, body, { headers });
  const ended: Rewinding['ended'] = async (runId) => {
    for (let last = -1, complete = false; !complete; ) {
      const { body } = await host().get(`/v1/runs/${runId}/events/poll?lastSequence=${last}&timeout=20`);
      last = body.events.at(-1)?.sequence ?? last;
      complete = body.isComplete;
    }
    return (await host().get(`/v1/runs/${runId}`)).body;
  };
  return {
    fork,
    ended,
    events: async (runId) => (await host().get(`/v1/runs/${runId}/events`)).body.events,
    async forked(runId, body) {
      const answer = await fork(runId, body);
      if (answer.status !== 201) throw new Error(answer.text);
      return ended(answer.body.runId);
    },
  };
}

import type { Baton } from '@baton/client';
import type { Output } from '../output/output.ts';

const EVERY_MS = 250;
const TELL_EVERY_MS = 5000;
/** The examples that need no person. */
const WORKFLOWS = ['research-desk', 'hello'];

/** Starts runs of the examples at random hosts, so that there is something to take over. Tells how many have ended. */
export function startRuns(
  clients: () => readonly { readonly baton: Baton }[],
  out: Output,
): () => Promise<void> {
  let started = 0;
  let refused = 0;

  async function startOne(): Promise<void> {
    const all = clients();
    const one = all[Math.floor(Math.random() * all.length)];
    const workflow = WORKFLOWS[started % WORKFLOWS.length] ?? '';
    if (one === undefined) return;
    try {
      await one.baton.runs.start(workflow, {});
      started += 1;
    } catch {
      // The host was just killed. Somebody who uses the cluster tries another one.
      refused += 1;
    }
  }

  async function tell(): Promise<void> {
    const [one] = clients();
    if (one === undefined) return;
    const { byStatus, total } = await one.baton.runs.stats();
    const completed = byStatus.completed ?? 0;
    out.give(
      { event: 'runs', started, refused, total, byStatus },
      `  ${total} runs, ${completed} completed, ${byStatus.failed ?? 0} failed; ${refused} requests met a killed host.`,
    );
  }

  const starting = setInterval(() => void startOne(), EVERY_MS);
  const telling = setInterval(() => void tell().catch(() => undefined), TELL_EVERY_MS);
  return async () => {
    clearInterval(starting);
    clearInterval(telling);
  };
}

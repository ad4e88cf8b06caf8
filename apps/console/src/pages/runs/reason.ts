import type { RunRow, RunWait } from '../../api/runs/run-row.ts';

/** Who or what a question of each kind waits for. */
const WAITS: Readonly<Record<string, string>> = {
  approval: 'a person to approve',
  'low-confidence': 'a person to decide, because an agent is not sure',
  clarification: 'a person to answer',
  'external-event': 'an event from another system',
  custom: 'an answer',
};

const BY_STATUS: Readonly<Record<string, string>> = {
  'waiting-approval': 'approval',
  'waiting-input': 'clarification',
  'waiting-external': 'external-event',
};

/** What a run waits for or why it failed, as a sentence without its subject. */
type Reason =
  | { readonly kind: 'waits'; readonly text: string; readonly wait?: RunWait; readonly more: number }
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'gave-up' };

export function reasonOf(run: RunRow): Reason | undefined {
  if (run.status === 'failed') return { kind: 'failed', text: run.error?.message ?? 'The run failed.' };
  if (run.goalMet === false) return { kind: 'gave-up' };
  const [wait, ...others] = run.waitingFor ?? [];
  const kind = wait?.kind ?? BY_STATUS[run.status];
  if (kind === undefined) return undefined;
  const where =
    wait === undefined ? '' : ` at ${wait.nodeId}${wait.runId === run.runId ? '' : ' of a child run'}`;
  return {
    kind: 'waits',
    text: `${WAITS[kind] ?? 'an answer'}${where}`,
    more: others.length,
    ...(wait !== undefined && { wait }),
  };
}

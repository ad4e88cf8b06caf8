import type { EventOf, RunEvent } from '@baton/protocol';
import { callKey } from '../../kernel/effect-key.ts';
import type { RecordedOutcome } from '../../kernel/replay/source.ts';

/** Finds the outcomes of effects in a log. */
interface OutcomesGathered {
  readonly outcomes: ReadonlyMap<string, RecordedOutcome>;
  /** Takes the next event of the log. */
  add(event: RunEvent): void;
}

interface NodeAttempt {
  readonly execution: number;
  readonly attempt: number;
  readonly retried: Map<number, EventOf<'baton.effect.retried'>[]>;
  /** The outcome that the following events of the node belong to. */
  burst?: RunEvent[];
}

export function outcomesGathered(): OutcomesGathered {
  const outcomes = new Map<string, RecordedOutcome>();
  const attempts = new Map<string, NodeAttempt>();

  function begin(nodeId: string, { attempt }: EventOf<'node.started'>['payload']): void {
    const before = attempts.get(nodeId)?.execution ?? 0;
    const execution = attempt === 1 ? before + 1 : before;
    attempts.set(nodeId, { execution, attempt, retried: new Map() });
  }

  function settle(nodeId: string, present: NodeAttempt, settled: EventOf<'baton.effect.settled'>): void {
    const { execution, attempt, retried } = present;
    const { step } = settled.payload;
    const burst: RunEvent[] = [settled];
    present.burst = burst;
    const outcome = { retried: retried.get(step) ?? [], settled, burst };
    outcomes.set(callKey({ nodeId, execution, attempt, step }), outcome);
  }

  return {
    outcomes,
    add(event) {
      const { nodeId } = event;
      if (nodeId === undefined) return;
      if (event.type === 'node.started') {
        begin(nodeId, event.payload);
        return;
      }
      const present = attempts.get(nodeId);
      if (present === undefined) return;
      switch (event.type) {
        case 'baton.effect.retried': {
          const { step } = event.payload;
          present.retried.set(step, [...(present.retried.get(step) ?? []), event]);
          return;
        }
        case 'baton.effect.settled':
          settle(nodeId, present, event);
          return;
        // The replay decides again whether the node has the required scopes, so this event is not part of the
        // outcome. The end of a cancelled node is not an outcome either.
        case 'authorization.decided':
        case 'node.cancelled':
        case 'output.chunk':
          return;
      }
      present.burst?.push(event);
    },
  };
}

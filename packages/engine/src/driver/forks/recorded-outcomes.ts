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

  function begin(nodeId: string, { attempt, effect }: EventOf<'node.started'>['payload']): void {
    const before = attempts.get(nodeId)?.execution ?? 0;
    const execution = attempt === 1 ? before + 1 : before;
    const begun: NodeAttempt = { execution, attempt, retried: new Map() };
    attempts.set(nodeId, begun);
    // In an older log, all that follows is the outcome of the effect with which the node began.
    if (effect !== undefined) settle(nodeId, begun, 0);
  }

  function settle(nodeId: string, present: NodeAttempt, step: number): void {
    const { execution, attempt } = present;
    const burst: RunEvent[] = [];
    present.burst = burst;
    outcomes.set(callKey({ nodeId, execution, attempt, step }), {
      retried: present.retried.get(step) ?? [],
      burst,
    });
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
          settle(nodeId, present, event.payload.step);
          break;
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

import { type EnvelopeKind, type RunEvent, runError } from '@baton/protocol';
import { effectKey } from '../effect-key.ts';
import { type ArrivedOutcome, recordOutcome } from '../effects.ts';
import { failRun } from '../ending.ts';
import { emit, type Turn } from '../turn.ts';
import { goBack, markOf, settle, worldThen } from './follow.ts';
import { burstOf } from './recorded.ts';
import { outcomeKey } from './serve.ts';
import { followed, isAtEnd, nextRecorded } from './source.ts';

/**
 * Takes the answer of a model that a replay has asked again. The answer is compared with the recorded one and
 * never replaces it. A different answer is a divergence. A refusal instead of an answer, or the reverse, ends
 * the replay. When too little of the source has been read, this only asks the driver for more.
 */
export function takeAnswerAgain(turn: Turn, arrived: ArrivedOutcome): void {
  const { tree } = turn;
  const real = tree.world;
  const recorded = nextRecorded(turn);
  const burst = recordedBurst(turn, arrived);
  if (recorded === 'unknown' || burst === 'unknown') return;
  const following = recorded !== undefined;
  if (following) tree.world = worldThen(tree, real, recorded);
  const mark = markOf(tree);
  const texts = turn.texts.length;
  tree.asking.delete(effectKey(turn.run, arrived));
  if (recordOutcome(turn, arrived)) {
    const replayed = kindOf(turn.texts.slice(texts).map((text) => JSON.parse(text) as RunEvent));
    const original = burst && kindOf(burst);
    if (original !== undefined && original !== replayed) {
      goBack(tree, mark);
      failAtRefusal(turn, arrived.nodeId, burst?.[0], original, replayed);
    } else if (following) {
      const settled = settle(tree, mark, true);
      // The difference is recorded. From now on the new answer is used.
      if (settled === 'settled' && followed(turn) === undefined) recordOutcome(turn, arrived);
      if (settled === 'again') takeAnswerAgain(turn, arrived);
    }
  }
  tree.world = real;
}

/** The events that the source recorded for the same call. `undefined` when it did not come that far. */
function recordedBurst(turn: Turn, arrived: ArrivedOutcome): readonly RunEvent[] | 'unknown' | undefined {
  const source = followed(turn);
  if (source) return isAtEnd(turn) ? undefined : burstOf(turn, source, arrived.nodeId);
  const { nodeId, execution, attempt } = arrived;
  const outcomes = turn.source?.outcomes;
  if (outcomes) return outcomes.get(outcomeKey(nodeId, execution, attempt));
  turn.tree.wanted.push({ kind: 'source-outcomes', runId: turn.run.runId });
  return 'unknown';
}

function kindOf(burst: readonly RunEvent[]): EnvelopeKind {
  return burst.some(({ type }) => type === 'envelope.refusal') ? 'refusal' : 'valid';
}

function failAtRefusal(
  turn: Turn,
  nodeId: string,
  at: RunEvent | undefined,
  originalEnvelopeKind: EnvelopeKind,
  replayEnvelopeKind: EnvelopeKind,
): void {
  const { fork, head } = turn.run;
  if (fork === undefined) return;
  const cause = emit(
    turn,
    'replay.divergedAtRefusal',
    {
      sourceRunId: fork.sourceRunId,
      atSequence: at?.sequence ?? head,
      ...(at && { originalEventId: at.eventId }),
      nodeId,
      originalEnvelopeKind,
      replayEnvelopeKind,
    },
    nodeId,
  );
  const error = runError('replay_diverged_at_refusal', undefined, {
    originalEnvelopeKind,
    replayEnvelopeKind,
  });
  const attempts = turn.run.nodes[nodeId]?.attempt ?? 1;
  const failed = emit(turn, 'node.failed', { nodeId, error, attempts }, nodeId, cause);
  failRun(turn, error, nodeId, failed);
  turn.tree.agenda.push(turn.run.runId);
}

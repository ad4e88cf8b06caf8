import { type EnvelopeKind, type RunEvent, runError } from '@baton/protocol';
import { callKey, effectKey } from '../effect-key.ts';
import { type ArrivedOutcome, recordOutcome } from '../effects.ts';
import { failRun } from '../ending.ts';
import { emit, type WorkingRun } from '../working-run.ts';
import { goBack, listAll, markOf, settle, worldThen } from './follow.ts';
import { burstOf } from './recorded.ts';
import { followed, isAtEnd, nextRecorded } from './source.ts';

/**
 * Takes the answer of a model that a replay has asked again. The answer is compared with the recorded one and
 * never replaces it. A different answer is a divergence. A refusal instead of an answer, or the reverse, ends
 * the replay. When too little of the source has been read, this only asks the driver for more.
 */
export function takeAnswerAgain(working: WorkingRun, arrived: ArrivedOutcome): void {
  const { tree } = working;
  const real = tree.world;
  const recorded = nextRecorded(working);
  const burst = recordedBurst(working, arrived);
  if (recorded === 'unknown' || burst === 'unknown') return;
  const following = recorded !== undefined;
  if (following) tree.world = worldThen(tree, real, recorded);
  const mark = markOf(tree);
  const texts = working.texts.length;
  tree.asking.delete(effectKey(working.run, arrived));
  if (recordOutcome(working, arrived)) {
    const replayed = kindOf(working.texts.slice(texts).map((text) => JSON.parse(text) as RunEvent));
    const original = burst && kindOf(burst);
    if (original !== undefined && original !== replayed) {
      goBack(tree, mark);
      failAtRefusal(working, arrived.nodeId, burst?.[0], original, replayed);
    } else if (following) {
      // The agenda was emptied when the model was asked.
      listAll(tree);
      const settled = settle(tree, mark, true);
      // The difference is recorded. From now on the new answer is used.
      if (settled === 'settled' && followed(working) === undefined) recordOutcome(working, arrived);
      if (settled === 'again') takeAnswerAgain(working, arrived);
    }
  }
  tree.world = real;
}

/** The events that the source recorded for the same call. `undefined` when it did not come that far. */
function recordedBurst(
  working: WorkingRun,
  arrived: ArrivedOutcome,
): readonly RunEvent[] | 'unknown' | undefined {
  const source = followed(working);
  if (source) return isAtEnd(working) ? undefined : burstOf(working, source, arrived.nodeId);
  const outcomes = working.source?.outcomes;
  if (outcomes) return outcomes.get(callKey(arrived))?.burst;
  working.tree.wanted.push({ kind: 'source-outcomes', runId: working.run.runId });
  return 'unknown';
}

function kindOf(burst: readonly RunEvent[]): EnvelopeKind {
  return burst.some(({ type }) => type === 'envelope.refusal') ? 'refusal' : 'valid';
}

function failAtRefusal(
  working: WorkingRun,
  nodeId: string,
  at: RunEvent | undefined,
  originalEnvelopeKind: EnvelopeKind,
  replayEnvelopeKind: EnvelopeKind,
): void {
  const { fork, head } = working.run;
  if (fork === undefined) return;
  const cause = emit(
    working,
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
  const attempts = working.run.nodes[nodeId]?.attempt ?? 1;
  const failed = emit(working, 'node.failed', { nodeId, error, attempts }, nodeId, cause);
  failRun(working, error, nodeId, failed);
  working.tree.agenda.push(working.run.runId);
}

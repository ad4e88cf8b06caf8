import { BatonError, type InterruptAnswer, type WaitingInterrupt } from '@baton/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { baton } from '../../../api/baton.ts';
import { INBOX_KEY } from '../../../layout/inbox-count.ts';
import { tell } from '../../../ui/toast.tsx';
import { type QuestionData, questionKey } from '../question.ts';

/** What every way to answer is given: the question, its contents, and what follows the answer. */
export interface AnswerProps {
  readonly place: WaitingInterrupt;
  readonly data: QuestionData;
  readonly onAnswered: () => void;
}

/** The refusals that say that the question is closed: somebody else was faster, its time is over, or its run has ended. */
const CLOSED = new Set(['interrupt_resolved', 'interrupt_gone', 'run_terminal', 'run_state_conflict']);

function isClosed(error: unknown): boolean {
  return error instanceof BatonError && CLOSED.has(error.code);
}

interface Sent {
  readonly answer: InterruptAnswer;
  /** What is said when it was done. */
  readonly done: string;
  /** The question stays open, as after a question back. */
  readonly staysOpen?: boolean;
}

/** Sends an answer. A question that somebody else has answered first is told, and leaves the inbox. */
export function useAnswer(place: WaitingInterrupt, onAnswered: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ answer }: Sent) => baton.answer(place, answer),
    onSuccess: async (_, { done, staysOpen = false }) => {
      tell(done);
      void queries.invalidateQueries({ queryKey: ['question', questionKey(place)] });
      if (staysOpen) return;
      const open = await baton.inbox();
      // A vote that does not settle the question leaves it in the inbox, and the page shows who is still needed.
      if (!open.some((one) => questionKey(one) === questionKey(place))) onAnswered();
      queries.setQueryData(INBOX_KEY, open);
    },
    onError: (error) => {
      if (!isClosed(error)) return;
      tell('This question was closed before your answer arrived. Your answer was not used.');
      queries.setQueryData<readonly WaitingInterrupt[]>(INBOX_KEY, (open) =>
        open?.filter((one) => questionKey(one) !== questionKey(place)),
      );
      void queries.invalidateQueries({ queryKey: INBOX_KEY });
    },
  });
}

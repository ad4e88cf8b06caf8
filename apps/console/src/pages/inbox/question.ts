import type { RunEvent, WaitingInterrupt } from '@baton/client';
import { queryOptions } from '@tanstack/react-query';
import { baton } from '../../api/baton.ts';
import { backgroundOf, type Revision, requestOf } from './background.ts';

/** Names a question in the address of the page. */
export function questionKey({ runId, interruptId }: Pick<WaitingInterrupt, 'runId' | 'interruptId'>): string {
  return `${runId}/${interruptId}`;
}

export type QuestionData = Readonly<Record<string, unknown>>;

/** What is asked. It stays the same for as long as the question is open. */
export function questionQuery(place: WaitingInterrupt) {
  return queryOptions({
    queryKey: ['question', questionKey(place)],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<QuestionData> => {
      const { interruptToken: token } = place;
      if (token !== undefined) return (await baton.links.read(token, { signal })).data as QuestionData;
      return requestOf(await baton.run(place.runId).log({ signal }), place.interruptId)?.data ?? {};
    },
  });
}

/** What happened before the question: the verdict of a critic, votes, questions back, and the revision before. */
export function backgroundQuery(place: WaitingInterrupt) {
  return queryOptions({
    queryKey: ['question', questionKey(place), 'background'],
    queryFn: async ({ signal }) => {
      const log = (await baton.run(place.runId).log({ signal })) as readonly RunEvent[];
      const { judgement, ...rest } = backgroundOf(log, place);
      const feedback =
        judgement?.criticRunId === undefined ? undefined : await feedbackOf(judgement.criticRunId, signal);
      return {
        ...rest,
        judgement: judgement && { ...judgement, ...(feedback !== undefined && { feedback }) },
      };
    },
  });
}

async function feedbackOf(criticRunId: string, signal: AbortSignal): Promise<string | undefined> {
  const { variables } = await baton.run(criticRunId).snapshot({ signal });
  return typeof variables.feedback === 'string' && variables.feedback !== '' ? variables.feedback : undefined;
}

/** The artifact before the last revision. That of a worker is kept as the variables of its run. */
export function revisionQuery(place: WaitingInterrupt, revision: Revision, names: readonly string[]) {
  return queryOptions({
    queryKey: ['question', questionKey(place), 'revision'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<unknown> => {
      if (revision.kind === 'value') return revision.value;
      const { variables } = await baton.run(revision.runId).snapshot({ signal });
      return Object.fromEntries(
        names.flatMap((name) => (name in variables ? [[name, variables[name]]] : [])),
      );
    },
  });
}

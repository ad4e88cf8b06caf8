import type { RunAttestations, RunEvent } from '@baton/client';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { baton } from '../../../api/baton.ts';
import { useMay } from '../../../session/session.ts';
import { useTree } from '../follow/run-context.tsx';
import { createMergeReader, type MergeReader } from './fold-merges.ts';
import type { JudgedView, MergeView } from './merge-view.ts';

/** What the log of a run says about merges, as far as it was read. */
interface MergesOfRun {
  readonly merges: readonly MergeView[];
  readonly judged: readonly JudgedView[];
  readonly definition: string | undefined;
}

interface ReadSoFar extends MergesOfRun {
  readonly reader: MergeReader;
  readonly next: number;
  readonly ended: boolean;
}

/** The pause before events that were added are read. */
const PAUSE_MS = 300;
/** How many events are folded before the page gets its turn. */
const AT_ONCE = 2_000;

/** The handoffs of a run. When the page learns of further events, they are read too. */
export function useMerges(runId: string) {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: ['merges', runId],
    queryFn: ({ signal }) => readOn(client, runId, signal),
    structuralSharing: false,
  });
  const { tree } = useTree();
  const known = tree.entries.length;
  const { refetch, data } = query;
  const isGrowing = data?.ended === false;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    // A timer that runs is left alone: a run that never rests is read again all the same.
    if (!isGrowing || known === 0 || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      void refetch();
    }, PAUSE_MS);
  }, [known, isGrowing, refetch]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return query;
}

async function readOn(client: QueryClient, runId: string, signal: AbortSignal): Promise<ReadSoFar> {
  const known = client.getQueryData<ReadSoFar>(['merges', runId]);
  const from = known?.next ?? 0;
  const events = await baton.run(runId).log({ from, signal });
  if (known !== undefined && events.length === 0) return known;
  const reader = known?.reader ?? createMergeReader();
  for (let at = 0; at < events.length; at += AT_ONCE) {
    if (at > 0) await new Promise((resolve) => setTimeout(resolve));
    for (const event of events.slice(at, at + AT_ONCE)) reader.add(event);
  }
  return {
    reader,
    next: (events.at(-1)?.sequence ?? from - 1) + 1,
    ended: isEnd(events.at(-1)),
    merges: reader.merges(),
    judged: reader.judged(),
    definition: reader.definition(),
  };
}

function isEnd(event: RunEvent | undefined): boolean {
  return event?.type === 'run.completed' || event?.type === 'run.failed' || event?.type === 'run.cancelled';
}

export type HostFinding = RunAttestations['attestations'][number];

/** What the host itself finds when it recomputes the checksums. Only for people who may read audits. */
export function useHostFindings(runId: string, settled: number) {
  const may = useMay();
  return useQuery({
    queryKey: ['attestations', runId, settled],
    queryFn: ({ signal }) => baton.run(runId).attestations({ signal }),
    enabled: may('audit:read') && settled > 0,
  });
}

import type { RunSnapshot } from '@baton/client';
import type { ReactNode } from 'react';
import { hasEnded } from '../../../api/runs/run-row.ts';
import { costText, countText, shortCount } from '../../../ui/amounts.ts';
import { Ago, durationText, useNow } from '../../../ui/times.tsx';
import { useAtMoment } from '../follow/run-context.tsx';
import { totalsAt } from '../model/at.ts';

/** What the run and its descendants took and used, up to the moment that is shown. */
export function RunFacts({ run }: { readonly run: RunSnapshot }) {
  const totals = useAtMoment(totalsAt);
  const runs = useAtMoment((tree) => tree.runs.size);
  const turns = totals.turns;
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2 text-sm">
      <Fact name="Started">
        <Ago at={run.startedAt} />
      </Fact>
      <Fact name="Took">
        <Elapsed run={run} />
      </Fact>
      <Fact name="Turns">{countText(turns)}</Fact>
      <Fact name="Runs below">{countText(Math.max(0, runs - 1))}</Fact>
      <Fact name="Tokens">
        <span title={`${countText(totals.inputTokens)} in, ${countText(totals.outputTokens)} out`}>
          {shortCount(totals.inputTokens + totals.outputTokens)}
        </span>
      </Fact>
      <Fact name="Tool calls">{countText(totals.toolCalls)}</Fact>
      <Fact name="Cost">{totals.costUsd === undefined ? '–' : costText(totals.costUsd)}</Fact>
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="font-medium tabular-nums">{children}</dd>
    </div>
  );
}

function Elapsed({ run }: { readonly run: RunSnapshot }) {
  const now = useNow(!hasEnded(run));
  const end = run.completedAt === undefined ? now : Date.parse(run.completedAt);
  return durationText(end - Date.parse(run.startedAt));
}

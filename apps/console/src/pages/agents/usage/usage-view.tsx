import type { UsageHistory } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { baton } from '../../../api/baton.ts';
import { costText, countText, shortCount } from '../../../ui/amounts.ts';
import { Card } from '../../../ui/card.tsx';
import { Chart } from '../../../ui/chart/chart.tsx';
import { Unloaded } from '../../../ui/states.tsx';
import { Facts } from '../../../ui/table.tsx';
import { totalOf, type UsageDay } from './usage-days.ts';

/** What the agent has used on each of the last days, and the whole tenant beside it. */
export function UsageView({ agentId }: { readonly agentId: string }) {
  const history = useQuery({
    queryKey: ['usage', 'history'],
    queryFn: ({ signal }) => readUsageHistory(signal),
    refetchInterval: 30_000,
  });
  const tenant = useQuery({ queryKey: ['usage', 'now'], queryFn: ({ signal }) => baton.usage({ signal }) });
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_20rem] items-start">
      <Card title="This agent, by day">
        <Unloaded query={history} rows={6} className="p-0" />
        {history.data !== undefined && (
          <Days days={history.data.agents?.find((one) => one.agentId === agentId)?.days ?? []} />
        )}
      </Card>
      <Card title="All agents of the tenant">
        <Unloaded query={tenant} rows={3} className="p-0" />
        {tenant.data !== undefined && (
          <div className="flex flex-col gap-4">
            {tenant.data.periods.map(({ period, used }) => (
              <section key={period}>
                <h3>{period === 'day' ? 'Today' : 'This month'}</h3>
                <Facts
                  facts={[
                    ['Tokens read', countText(used.inputTokens)],
                    ['Tokens written', countText(used.outputTokens)],
                    ['Tool calls', countText(used.toolCalls)],
                    ['Cost', used.costUsd === undefined ? 'No price is known' : costText(used.costUsd)],
                  ]}
                />
              </section>
            ))}
          </div>
        )}
      </Card>
    </div>
  );
}

function Days({ days }: { readonly days: readonly UsageDay[] }) {
  const total = totalOf(days);
  if (total.inputTokens + total.outputTokens + total.toolCalls === 0) {
    return <p className="text-sm text-muted">The agent has used nothing in these days.</p>;
  }
  const times = days.map(({ day }) => Date.parse(day) / 1000);
  return (
    <div className="flex flex-col gap-6">
      <Chart
        title="Tokens each day"
        times={times}
        bars
        days
        lines={[
          {
            name: 'Today',
            values: days.map((day) => day.inputTokens + day.outputTokens),
            colour: '--running',
          },
        ]}
        format={shortCount}
      />
      {total.costUsd !== undefined && (
        <Chart
          title="Cost each day"
          times={times}
          bars
          days
          lines={[{ name: 'Today', values: days.map(({ costUsd }) => costUsd ?? 0), colour: '--waiting' }]}
          format={costText}
        />
      )}
      <Facts
        facts={[
          ['Tokens read', countText(total.inputTokens)],
          ['Tokens written', countText(total.outputTokens)],
          ['Tool calls', countText(total.toolCalls)],
          ['Cost', total.costUsd === undefined ? 'No price is known' : costText(total.costUsd)],
        ]}
      />
    </div>
  );
}

/** What the tenant and its agents used in the last 30 days. */
function readUsageHistory(signal: AbortSignal): Promise<UsageHistory> {
  return baton.usageHistory({ days: 30, by: 'agent', signal });
}

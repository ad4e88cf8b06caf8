import { Flag } from 'lucide-react';
import { durationOf, hasEnded, type RunRow } from '../../api/runs/run-row.ts';
import { costText, shortCount } from '../../ui/amounts.ts';
import { Badge } from '../../ui/badge.tsx';
import { distanceText, durationText } from '../../ui/times.tsx';
import { reasonOf } from './reason.ts';

/** The facts of a run as the table and the cards of the list show them. */

export function ReasonText({ run, now }: { readonly run: RunRow; readonly now: number }) {
  const reason = reasonOf(run);
  if (reason === undefined) return null;
  switch (reason.kind) {
    case 'failed':
      return (
        <span className="text-danger" title={reason.text}>
          <bdi>{reason.text}</bdi>
        </span>
      );
    case 'gave-up':
      return (
        <span className="inline-flex items-center gap-1 text-status-waiting">
          <Flag size={13} aria-hidden /> Did not reach its goal
        </span>
      );
    case 'waits': {
      const { wait, more } = reason;
      const text = `Waits for ${reason.text}`;
      return (
        <span title={text}>
          {text}
          {more > 0 && ` and ${more} more`}
          {wait?.deadline !== undefined && (
            <span className="text-status-waiting">
              {' '}
              · ends {distanceText(Date.parse(wait.deadline), now)}
            </span>
          )}
        </span>
      );
    }
  }
}

export function UsageText({ run: { usage } }: { readonly run: RunRow }) {
  if (usage === undefined) return null;
  const { inputTokens, outputTokens, costUsd } = usage;
  return (
    <span title={`${inputTokens} tokens read, ${outputTokens} written`}>
      {shortCount(inputTokens + outputTokens)} tokens
      {costUsd !== undefined && ` · ${costText(costUsd)}`}
    </span>
  );
}

export function DurationText({ run, now }: { readonly run: RunRow; readonly now: number }) {
  const passed = durationOf(run, now);
  // While a run goes on, the clock shows whole seconds.
  return (
    <span className="tabular-nums">
      {hasEnded(run) ? durationText(passed) : durationText(passed - (passed % 1000))}
    </span>
  );
}

export function StartedText({ run, now }: { readonly run: RunRow; readonly now: number }) {
  const at = Date.parse(run.createdAt);
  return (
    <time dateTime={run.createdAt} title={new Date(at).toLocaleString()}>
      {distanceText(at, now)}
    </time>
  );
}

const MOST_TAGS = 3;

export function Tags({ tags = [] }: { readonly tags?: readonly string[] | undefined }) {
  return tags.slice(0, MOST_TAGS).map((tag) => (
    <Badge key={tag} title={tag}>
      <bdi className="max-w-32 truncate">{tag}</bdi>
    </Badge>
  ));
}

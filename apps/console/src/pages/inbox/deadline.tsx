import { Clock } from 'lucide-react';
import { classes } from '../../ui/class-names.ts';
import { durationText, useNow } from '../../ui/times.tsx';

const SOON_MS = 15 * 60_000;

/** How long a question can still be answered, counting down. */
export function Deadline({ at }: { readonly at: string }) {
  const now = useNow();
  const left = Date.parse(at) - now;
  const text = left <= 0 ? 'The time is over' : `${durationText(left - (left % 1000))} left`;
  return (
    <time
      dateTime={at}
      title={new Date(at).toLocaleString()}
      className={classes(
        'inline-flex items-center gap-1 text-xs tabular-nums whitespace-nowrap',
        left < SOON_MS ? 'text-danger font-medium' : 'text-muted',
      )}
    >
      <Clock size={12} aria-hidden />
      {text}
    </time>
  );
}

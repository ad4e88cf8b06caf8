import { CircleCheck, GitFork } from 'lucide-react';
import { classes } from '../../ui/class-names.ts';
import { outcomeText } from './outcome-text.ts';
import type { Comparison } from './read-comparison.ts';

/** The result of the comparison in one sentence. */
export function Outcome({ comparison }: { readonly comparison: Comparison }) {
  const isEqual = comparison.diff.divergedAtSeq === null;
  const Icon = isEqual ? CircleCheck : GitFork;
  return (
    <p
      role="status"
      className={classes(
        'flex items-start gap-2 rounded-lg border p-4 text-sm font-medium',
        isEqual
          ? 'border-status-completed bg-status-completed-ground text-status-completed'
          : 'border-line bg-surface text-text',
      )}
    >
      <Icon size={18} aria-hidden className="shrink-0 mt-0.5" />
      <span>{outcomeText(comparison)}</span>
    </p>
  );
}

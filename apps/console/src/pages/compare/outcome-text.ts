import { countText } from '../../ui/amounts.ts';
import type { Comparison } from './read-comparison.ts';

/** The result of a comparison in words. */
export function outcomeText({ a, b, diff, rows }: Pick<Comparison, 'a' | 'b' | 'diff' | 'rows'>): string {
  const { divergedAtSeq, truncated } = diff;
  if (divergedAtSeq === null) {
    const compared = countText(Math.min(a.lastSequence, b.lastSequence) + 1);
    return truncated
      ? `Equal so far: ${compared} events were compared, and at least one of the runs has not ended.`
      : `Equal: ${compared} events were compared. Times and ids of runs do not count.`;
  }
  const count = (kind: string) => rows.filter((row) => row.kind === kind).length;
  const [changed, onlyA, onlyB] = [count('changed'), count('removed'), count('added')];
  const parts = [
    changed > 0 ? `${countText(changed)} different` : '',
    onlyA > 0 ? `${countText(onlyA)} only in A` : '',
    onlyB > 0 ? `${countText(onlyB)} only in B` : '',
  ].filter((part) => part !== '');
  const where =
    divergedAtSeq === 0
      ? 'The runs have no beginning in common.'
      : `The runs are equal up to event ${divergedAtSeq - 1} and part at event ${divergedAtSeq}.`;
  return parts.length === 0 ? where : `${where} From there: ${parts.join(', ')}.`;
}

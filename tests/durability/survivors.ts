import type { Change } from './file-image.ts';
import type { Random } from './random.ts';

/** Disks write sectors whole, and nothing larger. */
const SECTOR = 512;

/** Which of the changes since the last sync got to the disk: none, all, a prefix, or any, whole or torn. */
export function survivors(changes: readonly Change[], random: Random): readonly Change[] {
  switch (random.below(4)) {
    case 0:
      return [];
    case 1:
      return changes;
    case 2:
      return changes
        .slice(0, random.below(changes.length + 1))
        .flatMap((change, index, all) => (index === all.length - 1 ? torn(change, random) : [change]));
    default:
      return changes
        .filter(() => random.chance(0.5))
        .flatMap((change) => (random.chance(0.3) ? torn(change, random) : [change]));
  }
}

function torn(change: Change, random: Random): readonly Change[] {
  if (change.kind === 'truncate') return random.chance(0.5) ? [change] : [];
  const sectors: Change[] = [];
  let start = 0;
  while (start < change.bytes.length) {
    const end = Math.min(start + SECTOR - ((change.at + start) % SECTOR), change.bytes.length);
    if (random.chance(0.5))
      sectors.push({ kind: 'write', at: change.at + start, bytes: change.bytes.subarray(start, end) });
    start = end;
  }
  return sectors;
}

import type { Link } from './layers.ts';
import type { Placed } from './place-boxes.ts';

/** The columns in which the links between two rows leave the upper row and reach the lower one. */
export interface Ported {
  readonly link: Link;
  readonly from: number;
  readonly to: number;
}

/**
 * All links of a source leave it in one column, and each link reaches its target in a column of its own. A column is
 * used by links of one source only, because lines in one column could not be told apart.
 */
export function portsOf(
  upper: readonly Placed[],
  lower: readonly Placed[],
  links: readonly Link[],
): readonly Ported[] {
  const fixed = new Map(lower.filter(({ box }) => box === undefined).map(({ key, left }) => [left, key]));
  const leaving = new Map<string, number>();
  for (const source of upper) {
    const own = links.filter(({ from }) => from === source.key).map(({ to }) => to);
    const isFree = (column: number) => !fixed.has(column) || own.includes(fixed.get(column) ?? '');
    leaving.set(
      source.key,
      source.box === undefined ? source.left : nearestFree(middle(source), source, isFree),
    );
  }
  const ownerOf = new Map([...leaving].map(([key, column]) => [column, key]));
  const column = (link: Link) => leaving.get(link.from) ?? 0;
  return lower.flatMap((target) => {
    const incoming = links.filter(({ to }) => to === target.key).sort((a, b) => column(a) - column(b));
    const used = new Set<number>();
    return incoming.map((link, number) => {
      const share = Math.round(target.left + (target.width * (number + 1)) / (incoming.length + 1) - 0.5);
      const wanted = incoming.length === 1 || Math.abs(column(link) - share) <= 2 ? column(link) : share;
      const isFree = (one: number) => !used.has(one) && (ownerOf.get(one) ?? link.from) === link.from;
      const to = target.box === undefined ? target.left : nearestFree(inside(wanted, target), target, isFree);
      used.add(to);
      return { link, from: column(link), to };
    });
  });

  function inside(wanted: number, { left, width }: Placed): number {
    const within = wanted > left && wanted < left + width - 1;
    return within ? wanted : middle({ left, width });
  }
}

function middle({ left, width }: { readonly left: number; readonly width: number }): number {
  return left + Math.floor(width / 2);
}

function nearestFree(wanted: number, { left, width }: Placed, isFree: (column: number) => boolean): number {
  const columns = Array.from({ length: width - 2 }, (_, index) => left + 1 + index);
  const ranked = columns.sort((one, other) => Math.abs(one - wanted) - Math.abs(other - wanted));
  return ranked.find(isFree) ?? wanted;
}

/** Whether a target has fewer columns than links, so that the links could not be told apart. */
export function isCrowded(rows: readonly (readonly Placed[])[], links: readonly Link[]): boolean {
  return rows
    .flat()
    .some(
      ({ key, width, box }) =>
        box !== undefined && links.filter(({ to }) => to === key).length > (width - 2) / 2,
    );
}

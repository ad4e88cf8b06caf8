import type { Canvas } from './canvas.ts';
import { cut, widthOf } from './cells.ts';
import type { Link } from './layers.ts';
import type { Placed } from './place-boxes.ts';
import { type Ported, portsOf } from './ports.ts';

/** Draws the links between two rows. */

interface Gap {
  /** The rows of cells that the links need. */
  readonly height: number;
  /** The column in which the links of a place of the upper row leave it. */
  leaving(key: string): number | undefined;
  /** Draws the links from this row of cells on. Labels without room are added to the notes. */
  draw(sheet: Canvas, top: number, notes: string[]): void;
}

/** A horizontal line of the links of one source. */
interface Track {
  readonly source: string;
  readonly first: number;
  readonly last: number;
  readonly level: number;
}

export function gapBetween(upper: readonly Placed[], lower: readonly Placed[], links: readonly Link[]): Gap {
  const ported = portsOf(upper, lower, links);
  const tracks = tracksOf(ported);
  const levels = Math.max(0, ...[...tracks.values()].map(({ level }) => level + 1));
  const labels = ported.some(({ link }) => link.last && link.edge.label !== undefined) ? 1 : 0;
  const isEmpty = links.length === 0;
  const height = isEmpty ? 1 : levels + labels + 1;
  return {
    height,
    leaving: (key) => ported.find(({ link }) => link.from === key)?.from,
    draw(sheet, top, notes) {
      const bottom = top + height - 1;
      for (const { link, from, to } of ported) {
        const track = tracks.get(link.from);
        const level = top + (track?.level ?? 0);
        if (from === to) sheet.line({ x: from, y: top }, { x: from, y: bottom }, link.from);
        else {
          sheet.line({ x: from, y: top - 1 }, { x: from, y: level }, link.from);
          sheet.line({ x: from, y: level }, { x: to, y: level }, link.from);
          sheet.line({ x: to, y: level }, { x: to, y: bottom }, link.from);
        }
        if (link.last) sheet.write(to, bottom, '▼');
      }
      if (labels > 0) writeLabels(sheet, bottom - 1, ported, notes);
    },
  };
}

/** Links of two sources share a level where their lines do not touch. */
function tracksOf(ported: readonly Ported[]): ReadonlyMap<string, Track> {
  const tracks = new Map<string, Track>();
  for (const source of new Set(ported.map(({ link }) => link.from))) {
    const bent = ported.filter(({ link, from, to }) => link.from === source && from !== to);
    if (bent.length === 0) continue;
    const columns = bent.flatMap(({ from, to }) => [from, to]);
    const [first, last] = [Math.min(...columns), Math.max(...columns)];
    const touching = [...tracks.values()].filter(
      (other) => other.first <= last + 1 && first <= other.last + 1,
    );
    let level = 0;
    while (touching.some((other) => other.level === level)) level += 1;
    tracks.set(source, { source, first, last, level });
  }
  return tracks;
}

/** A label is written beside its line, up to the next line. A label without room becomes a number with a note. */
function writeLabels(sheet: Canvas, y: number, ported: readonly Ported[], notes: string[]): void {
  const columns = ported.map(({ to }) => to).sort((one, other) => one - other);
  for (const { link, to } of ported) {
    const { label, from, to: target } = link.edge;
    if (!link.last || label === undefined) continue;
    const next = columns.find((column) => column > to) ?? Number.POSITIVE_INFINITY;
    const room = Math.min(next - to - 3, LONGEST);
    if (widthOf(label) <= room) sheet.write(to + 2, y, label);
    else {
      notes.push(`(${notes.length + 1}) ${from} → ${target}: ${label}`);
      sheet.write(to + 1, y, cut(`(${notes.length})`, room + 1));
    }
  }
}

const LONGEST = 40;

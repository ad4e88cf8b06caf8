/** Sizes of the drawing, in pixels. */

export const LANE_HEIGHT = 34;
export const AXIS_HEIGHT = 22;
/** The part of a lane that its spans use. */
export const BAR_TOP = 5;
export const BAR_HEIGHT = 24;

/** The place of a row of spans within its lane. */
export function rowBox(row: number, rows: number): { readonly y: number; readonly height: number } {
  const height = BAR_HEIGHT / rows;
  return { y: BAR_TOP + row * height, height: height - (rows > 1 ? 1 : 0) };
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The part of the axis after zooming by a factor around a unit. It stays within the axis. */
export function zoomed(range: Range, length: number, factor: number, around: number): Range {
  const width = Math.min(length, Math.max(length / 20_000, (range.to - range.from) / factor));
  const share = (around - range.from) / (range.to - range.from);
  return within({ from: around - share * width, to: around + (1 - share) * width }, length);
}

export function moved(range: Range, length: number, by: number): Range {
  return within({ from: range.from + by, to: range.to + by }, length);
}

function within({ from, to }: Range, length: number): Range {
  const width = Math.min(length, to - from);
  const start = Math.min(length - width, Math.max(0, from));
  return { from: start, to: start + width };
}

/** The part of a text that fits into a width, or nothing where even its beginning would not be readable. */
export function fitting(text: string, width: number): string {
  const most = Math.floor((width - 10) / 6.2);
  if (text.length <= most) return text;
  return most < 4 ? '' : `${text.slice(0, most - 1)}…`;
}

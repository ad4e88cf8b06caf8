/** Numbers as people read them. */

export function countText(count: number): string {
  return count.toLocaleString('en');
}

/** "940", "12.3 k", "4.1 M". */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)} k` : `${(count / 1_000_000).toFixed(1)} M`;
}

/** "$0.0042" below a cent, "$1.25" above. */
export function costText(usd: number): string {
  return `$${usd === 0 || usd >= 0.01 ? usd.toFixed(2) : usd.toPrecision(2)}`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

import { quantile } from './statistics.mjs';

/** Formats numbers for the table, with only the significant digits. */

export function amount(value) {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function range(values, unit) {
  return `${amount(Math.min(...values))} to ${amount(Math.max(...values))} ${unit}`;
}

/** For many values, where the largest one is not meaningful. */
export function spread(values, unit) {
  const [p50, p99] = [0.5, 0.99].map((share) => amount(quantile(values, share)));
  return `median ${p50} ${unit}, p99 ${p99} ${unit}`;
}

export function median(values) {
  return quantile(values, 0.5);
}

/** The value that the given share of all values does not exceed. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

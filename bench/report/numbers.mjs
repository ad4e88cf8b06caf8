/** Numbers as the table shows them: as many digits as mean something. */

export function amount(value) {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function range(values, unit) {
  return `${amount(Math.min(...values))} to ${amount(Math.max(...values))} ${unit}`;
}

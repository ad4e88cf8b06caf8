const UNITS = {
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
} as const;

type Unit = keyof typeof UNITS;

/** Milliseconds, or a number with a unit: `500ms`, `2s`, `15min`, `1h`, `30d`. */
export type Duration = number | `${number}${Unit}`;

const FORM = /^(\d+(?:\.\d+)?)(ms|s|min|h|d)$/;

export function milliseconds(duration: Duration): number {
  if (typeof duration === 'number') {
    if (Number.isFinite(duration) && duration >= 0) return duration;
    throw new TypeError(
      `${duration} is not a duration. Write milliseconds from 0 on, or a text such as "15min".`,
    );
  }
  const [, amount, unit] = FORM.exec(duration) ?? [];
  if (amount === undefined || unit === undefined)
    throw new TypeError(
      `"${duration}" is not a duration. Write a number with ms, s, min, h or d, such as "15min".`,
    );
  return Number(amount) * UNITS[unit as Unit];
}

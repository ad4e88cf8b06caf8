/** One value of a metric in the text format of Prometheus. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+\d+)?$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

/** Lines that are comments or of no known form are left out. */
export function parseMetrics(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = LINE.exec(line.trim()) ?? [];
    if (name === undefined || value === undefined) return [];
    const number = numberOf(value);
    return Number.isNaN(number) ? [] : [{ name, labels: labelsOf(labels), value: number }];
  });
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from(text.matchAll(LABEL), ([, name = '', value = '']) => [
      name,
      value.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign)),
    ]),
  );
}

/** Prometheus writes infinity as `+Inf` and `-Inf`. */
export function numberOf(text: string): number {
  return Number(text.replace(/^([+-]?)Inf$/, '$1Infinity'));
}

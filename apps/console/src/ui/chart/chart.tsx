import { lazy, Suspense } from 'react';
import { classes } from '../class-names.ts';
import type { ChartLine, LineChartProps } from './line-chart.tsx';

const LineChart = lazy(async () => {
  ensureLanguage();
  return { default: (await import('./line-chart.tsx')).LineChart };
});

/**
 * The drawing library formats numbers in the language of the browser as soon as it is loaded, and fails if the browser
 * names one that is no language tag, such as `en-US@posix`.
 */
function ensureLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  }
}

interface ChartProps extends LineChartProps {
  readonly title: string;
  /** A sentence about what is drawn. */
  readonly note?: string;
}

/** Lines over time, with their newest values in words. The drawing is loaded when it is first shown. */
export function Chart({ title, note, ...drawing }: ChartProps) {
  const { lines, format } = drawing;
  return (
    <figure className="min-w-0 flex flex-col gap-2" aria-label={title}>
      <figcaption className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <span className="text-sm font-semibold">{title}</span>
        <span className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
          {lines.map((line) => (
            <span key={line.name} className="inline-flex items-center gap-1.5">
              <Swatch line={line} />
              <span className="text-muted">{line.name}</span>
              <span className="tabular-nums font-medium">{newest(line, format)}</span>
            </span>
          ))}
        </span>
      </figcaption>
      <div className="h-40" aria-hidden>
        <Suspense fallback={<div className="h-full rounded bg-sunken animate-pulse" />}>
          <LineChart {...drawing} />
        </Suspense>
      </div>
      {note !== undefined && <p className="text-xs text-muted">{note}</p>}
    </figure>
  );
}

function newest({ values }: ChartLine, format: (value: number) => string): string {
  const last = values.findLast((value) => value !== null);
  return last === undefined || last === null ? 'no value' : format(last);
}

/** The colour and the pattern of a line: two lines differ in both. */
function Swatch({ line }: { readonly line: ChartLine }) {
  return (
    <span
      aria-hidden
      className={classes('inline-block w-5 border-t-2', line.dashed === true && 'border-dashed')}
      style={{ borderColor: `var(${line.colour})` }}
    />
  );
}

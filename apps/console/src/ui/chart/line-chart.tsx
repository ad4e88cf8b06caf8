import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { useIsDark } from '../../theme/theme.ts';
import 'uplot/dist/uPlot.min.css';

export interface ChartLine {
  readonly name: string;
  /** One value for each time. Null leaves a gap. */
  readonly values: readonly (number | null)[];
  /** The name of a colour of the console, such as `--running`. */
  readonly colour: string;
  readonly dashed?: boolean;
}

export interface LineChartProps {
  /** Seconds since 1970, rising. */
  readonly times: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly format: (value: number) => string;
  /** One bar for each time in place of a line. */
  readonly bars?: boolean;
  /** The days of a calendar, without the times of day. */
  readonly days?: boolean;
}

/** The drawing of a chart. Its caption has the newest values, so the drawing itself is hidden from screen readers. */
export function LineChart({ times, lines, format, bars = false, days = false }: LineChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const isDark = useIsDark();
  const data: UPlot.AlignedData = [[...times], ...lines.map(({ values }) => [...values])];
  const newest = useRef({ data, format });
  newest.current = { data, format };
  const looks = JSON.stringify(lines.map(({ name, colour, dashed }) => ({ name, colour, dashed })));
  useEffect(() => {
    const holder = place.current;
    if (holder === null) return;
    const made = new UPlot(
      optionsOf(holder, JSON.parse(looks), (value) => newest.current.format(value), { bars, days }),
      newest.current.data,
      holder,
    );
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize(sizeOf(holder)));
    watch.observe(holder);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [looks, bars, days, isDark]);
  useEffect(() => plot.current?.setData(data), [data]);
  return <div ref={place} className="h-full w-full overflow-hidden" />;
}

function sizeOf(holder: HTMLElement): { readonly width: number; readonly height: number } {
  return { width: Math.max(80, holder.clientWidth), height: Math.max(60, holder.clientHeight) };
}

const DAY = 86_400;

type Look = Pick<ChartLine, 'name' | 'colour' | 'dashed'>;

interface Kind {
  readonly bars: boolean;
  readonly days: boolean;
}

function optionsOf(
  holder: HTMLElement,
  looks: readonly Look[],
  format: (value: number) => string,
  { bars, days }: Kind,
): UPlot.Options {
  const styles = getComputedStyle(holder);
  const colour = (name: string) => styles.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  const paths = bars ? UPlot.paths.bars?.({ size: [0.7, 24] }) : undefined;
  return {
    ...sizeOf(holder),
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 28, 0, 0],
    scales: {
      x: {
        time: true,
        range: (_, first, last) => (days ? [first - DAY, last + DAY] : [Math.min(first, last - 60), last]),
      },
      y: { range: (_, __, most) => [0, most > 0 ? most * 1.15 : 1] },
    },
    axes: [
      {
        ...axis,
        space: 70,
        size: 30,
        incrs: days ? [DAY, 7 * DAY] : [10, 30, 60, 120],
        values: (_, marks) => marks.map(days ? dayText : clockText),
      },
      { ...axis, size: 64, values: (_, marks) => marks.map(format) },
    ],
    series: [
      {},
      ...looks.map(
        ({ name, colour: used, dashed }): UPlot.Series => ({
          label: name,
          stroke: colour(used),
          width: 1.5,
          points: { show: false },
          spanGaps: true,
          ...(bars && { fill: colour(used) }),
          ...(paths !== undefined && { paths }),
          ...(dashed === true && { dash: [6, 4] }),
        }),
      ),
    ],
  };
}

function dayText(seconds: number): string {
  return new Date(seconds * 1000).toLocaleDateString('en', {
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  });
}

function clockText(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString('en-GB');
}

import { useEffect, useState } from 'react';

/** "340 ms", "12.4 s", "3 min 5 s", "2 h 10 min", "4 d 3 h". */
export function durationText(milliseconds: number): string {
  const ms = Math.max(0, Math.round(milliseconds));
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** "just now", "5 min ago", "in 2 h": the distance of a moment from now. */
export function distanceText(moment: number, now: number): string {
  const away = Math.abs(now - moment);
  if (away < 10_000) return 'just now';
  const units: readonly (readonly [number, string])[] = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1000, 's'],
  ];
  const [size, unit] = units.find(([length]) => away >= length) ?? [1000, 's'];
  const text = `${Math.floor(away / size)} ${unit}`;
  return moment > now ? `in ${text}` : `${text} ago`;
}

/** The time, read again every second while the page is seen. Pages that show no running clock leave `running` false. */
export function useNow(running = true): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}

/** A moment as a distance from now; the whole date and time is its hint. */
export function Ago({ at }: { readonly at: string }) {
  const now = useNow();
  const moment = Date.parse(at);
  return (
    <time dateTime={at} title={new Date(moment).toLocaleString()}>
      {distanceText(moment, now)}
    </time>
  );
}

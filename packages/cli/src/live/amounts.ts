import type { UsageView } from './view.ts';

/** Durations, tokens and costs in words. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** `0.4 s`, `12 s`, `3 min 05 s`, `2 h 07 min`. */
export function durationText(ms: number): string {
  const least = Math.max(0, ms);
  if (least < 10 * SECOND) return `${(Math.floor(least / 100) / 10).toFixed(1)} s`;
  if (least < MINUTE) return `${Math.floor(least / SECOND)} s`;
  if (least < HOUR) {
    return `${Math.floor(least / MINUTE)} min ${twoDigits(Math.floor((least % MINUTE) / SECOND))} s`;
  }
  return `${Math.floor(least / HOUR)} h ${twoDigits(Math.floor((least % HOUR) / MINUTE))} min`;
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0');
}

/** `1,240 tokens · 3 tool calls · $0.0021`. Empty when nothing was used. */
export function usageText({ tokens, toolCalls, costUsd }: UsageView): string {
  const parts = [
    tokens > 0 ? `${tokens.toLocaleString('en-US')} tokens` : '',
    toolCalls > 0 ? `${toolCalls} tool call${toolCalls === 1 ? '' : 's'}` : '',
    costUsd === undefined ? '' : `$${costUsd < 0.01 ? costUsd.toFixed(4) : costUsd.toFixed(2)}`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

import type { RunDiff } from '@baton/client';

/** What the host says about the states of two runs at their ends. */

export interface Difference {
  readonly name: string;
  /** Absent: the run does not have it. */
  readonly a?: unknown;
  readonly b?: unknown;
}

export interface CostOfRun {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
}

type Bag = Readonly<Record<string, unknown>>;

export const COMPARED = ['variables', 'channels', 'memory'] as const;
export type ComparedPart = (typeof COMPARED)[number];

export function differencesOf({ stateDiff }: RunDiff, part: ComparedPart): readonly Difference[] {
  const found = (stateDiff as Bag)[part];
  if (typeof found !== 'object' || found === null) return [];
  return Object.entries(found as Record<string, Omit<Difference, 'name'>>).map(([name, sides]) => ({
    name,
    ...sides,
  }));
}

export function costsOf({ stateDiff }: RunDiff): { readonly a?: CostOfRun; readonly b?: CostOfRun } {
  return ((stateDiff as Bag).cost ?? {}) as { readonly a?: CostOfRun; readonly b?: CostOfRun };
}

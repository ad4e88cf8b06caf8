import type { Fork, RunOptionsOverlay } from '@baton/client';
import { baton } from '../../../api/baton.ts';
import type { ForkChoice } from './mode-choice.tsx';

interface ForkOrder {
  readonly runId: string;
  readonly choice: ForkChoice;
  readonly at: number;
  /** What a branch or a retry changes. */
  readonly overlay: RunOptionsOverlay;
}

export function makeFork({ runId, choice, at, overlay }: ForkOrder): Promise<Fork> {
  const run = baton.run(runId);
  switch (choice) {
    case 'replay':
      return run.fork({ at });
    case 'live-replay':
      return run.fork({ at, models: 'live' });
    case 'branch':
      return run.branch({ at, ...overlay });
    case 'retry':
      return run.retry(overlay);
  }
}

const NAMES: Readonly<Record<ForkChoice, string>> = {
  replay: 'replay',
  'live-replay': 'replay',
  branch: 'branch',
  retry: 'retry',
};

/** What was made, and where it begins if the host has moved the index. */
export function madeText(
  { choice, at }: Pick<ForkOrder, 'choice' | 'at'>,
  made: Pick<Fork, 'fromSeq'>,
): string {
  const name = NAMES[choice];
  if (choice === 'retry' || made.fromSeq === at)
    return `This is the new ${name}. The original was not touched.`;
  return `This is the new ${name}. It begins before event ${made.fromSeq} instead of ${at}, because the events of one step stay together. The original was not touched.`;
}

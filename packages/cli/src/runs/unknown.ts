import { BatonError } from '@baton/client';
import { CommandFailure } from '../output/command-failure.ts';

/** Whether the host says that it knows nothing of this name. */
export function isUnknown(error: unknown): boolean {
  return (error instanceof BatonError || error instanceof CommandFailure) && error.code === 'not_found';
}

import { BatonError } from '@baton/protocol';

/** Why a bundle is not taken in. `how` goes on from "The bundle". */
export function refused(how: string, details?: Record<string, unknown>): BatonError {
  return new BatonError('bundle_invalid', `The bundle ${how}.`, details);
}

import type { Environment } from '../settings.ts';

/** How the environment wants the output of commands. */

/** Colour only for a terminal, and only if NO_COLOR is not set; see no-color.org. */
export function wantsColour(env: Environment, isTerminal: boolean): boolean {
  return isTerminal && (env.NO_COLOR ?? '') === '';
}

export function wantsStacks(env: Environment): boolean {
  return env.BATON_LOG_LEVEL === 'debug' || env.BATON_LOG_LEVEL === 'trace';
}

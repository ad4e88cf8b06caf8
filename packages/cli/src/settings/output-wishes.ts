import type { Environment } from './given.ts';

/** How the environment wants the output of commands. */

/**
 * Colour only for a terminal. NO_COLOR switches it off (see no-color.org), and FORCE_COLOR switches it on for other
 * outputs too, unless it is 0.
 */
export function wantsColour(env: Environment, isTerminal: boolean): boolean {
  if ((env.NO_COLOR ?? '') !== '' || env.FORCE_COLOR === '0') return false;
  return (env.FORCE_COLOR ?? '') !== '' || (isTerminal && env.TERM !== 'dumb');
}

export function wantsStacks(env: Environment): boolean {
  return env.BATON_LOG_LEVEL === 'debug' || env.BATON_LOG_LEVEL === 'trace';
}

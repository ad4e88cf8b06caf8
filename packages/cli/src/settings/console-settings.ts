import type { Parsed } from './setting-values.ts';

/** The settings of the console, and of the people who sign in to it. */
export interface ConsoleSettings {
  /** Whether the host serves the console. */
  readonly console: boolean;
}

export const CONSOLE_SETTINGS = [
  {
    name: 'BATON_CONSOLE',
    value: 'switch',
    unset: 'on',
    meaning: 'off: the host serves its API only, and no pages for browsers',
  },
] as const;

type ReadSetting = <T>(
  name: (typeof CONSOLE_SETTINGS)[number]['name'],
  parse: (text: string) => Parsed<T>,
  unset: T,
) => T;

export function readConsoleSettings(read: ReadSetting): ConsoleSettings {
  return { console: read('BATON_CONSOLE', parseConsole, true) };
}

function parseConsole(text: string): Parsed<boolean> {
  if (text === 'on' || text === 'off') return { value: text === 'on' };
  return { wrong: `is "${text}"; write off to serve no console, or on` };
}

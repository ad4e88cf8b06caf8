import { useSyncExternalStore } from 'react';
import { announcer } from '../observable.ts';

/** The theme that a person has chosen, kept in the browser. `system` follows the setting of the device. */
export type ThemeChoice = 'system' | 'light' | 'dark';

const KEY = 'baton.theme';
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const { tell, subscribe } = announcer();

function themeChoice(): ThemeChoice {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function chooseTheme(choice: ThemeChoice): void {
  if (choice === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, choice);
  apply();
}

/** Applies the theme, and applies it again when the setting of the device changes. */
export function followTheme(): void {
  apply();
  dark.addEventListener('change', apply);
}

function apply(): void {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  tell();
}

function isDark(): boolean {
  const choice = themeChoice();
  return choice === 'dark' || (choice === 'system' && dark.matches);
}

/** For drawings that need colours in script, such as charts. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, isDark);
}

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, themeChoice);
}

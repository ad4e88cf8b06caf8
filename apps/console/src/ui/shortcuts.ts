import { useEffect, useRef } from 'react';

/** What keys do, by their names: `j`, `Enter`, `?`. A function that returns `false` has not used the key. */
type Shortcuts = Readonly<Record<string, () => unknown>>;

/**
 * Keys that act on the whole page. They are left alone while a person types, while a dialog or a menu is open, and
 * together with Ctrl, Alt or Meta, which belong to the browser.
 */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || isBusy(event.target))
        return;
      const action = current.current[event.key];
      if (action === undefined || action() === false) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

const TYPED_INTO =
  'input, textarea, select, [contenteditable="true"], [role="textbox"], [role="menu"], [role="tablist"]';

function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"], [role="alertdialog"]') !== null) return true;
  return target instanceof Element && target.closest(TYPED_INTO) !== null;
}

import type { HeldEffect } from './tree-effects.ts';

/** The effects whose outcome is not reported yet. */
export function openCalls() {
  const open = new Set<HeldEffect>();
  let waiting: (() => void)[] = [];
  return {
    add: (held: HeldEffect) => void open.add(held),
    remove(held: HeldEffect): void {
      if (!open.delete(held) || open.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    none: () => (open.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve))),
  };
}

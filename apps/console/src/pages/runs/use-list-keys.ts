import { useNavigate } from '@tanstack/react-router';
import { type RefObject, useState } from 'react';
import type { RunRow } from '../../api/runs/run-row.ts';
import { useShortcuts } from '../../ui/shortcuts.ts';

/**
 * j and k, or the arrow keys, move through the runs; Enter opens one. The run that is active stays active when others
 * come before it.
 */
export function useListKeys(
  runs: readonly RunRow[],
  frame: RefObject<HTMLElement | null>,
  show: (index: number) => void,
) {
  const [active, setActive] = useState<string>();
  const navigate = useNavigate();
  const isListed = active !== undefined && runs.some(({ runId }) => runId === active);
  const move = (by: number) => () => {
    const present = isListed ? runs.findIndex(({ runId }) => runId === active) : -1;
    const index = Math.min(runs.length - 1, Math.max(0, present + by));
    const next = runs[index];
    if (next === undefined) return false;
    setActive(next.runId);
    show(index);
    focusRun(frame.current, next.runId);
  };
  const open = () => {
    const focused = document.activeElement;
    if (active === undefined || (focused !== document.body && focused?.closest('main') !== focused))
      return false;
    void navigate({ to: '/runs/$runId', params: { runId: active } });
  };
  useShortcuts({ j: move(1), ArrowDown: move(1), k: move(-1), ArrowUp: move(-1), Enter: open });
  return { active: isListed ? active : undefined, setActive };
}

/** The row may be drawn only after the page has scrolled. */
function focusRun(frame: HTMLElement | null, runId: string, tries = 10): void {
  const link = frame?.querySelector<HTMLElement>(`[data-run="${CSS.escape(runId)}"]`);
  if (link !== null && link !== undefined) link.focus({ preventScroll: true });
  else if (tries > 0) requestAnimationFrame(() => focusRun(frame, runId, tries - 1));
}

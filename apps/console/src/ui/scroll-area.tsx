import type { ReactNode } from 'react';
import { classes } from './class-names.ts';

interface ScrollAreaProps {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A part that scrolls sideways by itself and can be reached with the keyboard. */
export function ScrollArea({ label, className, children }: ScrollAreaProps) {
  const look = classes('overflow-x-auto min-w-0 max-w-full', className);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard.
    <section aria-label={label} tabIndex={0} className={look}>
      {children}
    </section>
  );
}

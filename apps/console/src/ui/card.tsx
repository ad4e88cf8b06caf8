import type { ReactNode } from 'react';
import { classes } from './class-names.ts';

interface CardProps {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
  /** Leaves out the space around the content, for tables and drawings. */
  readonly flush?: boolean;
}

export function Card({ title, actions, children, className, flush = false }: CardProps) {
  return (
    <section className={classes('bg-surface border border-line rounded-lg min-w-0', className)}>
      {title !== undefined && (
        <header className="flex items-center justify-between gap-3 px-4 py-3 border-b border-line">
          <h2 className="min-w-0 truncate">{title}</h2>
          {actions !== undefined && <div className="flex items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={flush ? '' : 'p-4'}>{children}</div>
    </section>
  );
}

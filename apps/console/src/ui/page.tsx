import { type ReactNode, useEffect } from 'react';
import { waitingInTitle } from './title.ts';

interface PageProps {
  readonly title: string;
  /** Shown instead of the title, such as a heading with a badge. The title stays in the tab of the browser. */
  readonly heading?: ReactNode;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of every page: one heading, what can be done with the page as a whole, and the content. */
export function Page({ title, heading, description, actions, children }: PageProps) {
  useEffect(() => waitingInTitle.setPage(title), [title]);
  return (
    <div className="px-4 py-5 md:px-6 flex flex-col gap-4 min-w-0">
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-60">
          <h1 className="flex flex-wrap items-center gap-2 min-w-0 break-words">{heading ?? title}</h1>
          {description !== undefined && <p className="text-sm text-muted mt-1 max-w-prose">{description}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

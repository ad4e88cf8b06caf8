import { BatonError } from '@baton/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { CircleAlert, Inbox } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { classes } from './class-names.ts';

/** Nothing is there: why, and what to do about it. */
export function EmptyState({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center text-center gap-2 px-6 py-12">
      <Inbox size={28} aria-hidden className="text-muted" />
      <h2>{title}</h2>
      {children !== undefined && <div className="text-sm text-muted max-w-md">{children}</div>}
      {action !== undefined && <div className="mt-2">{action}</div>}
    </div>
  );
}

/** Something could not be read or done. The message of the host says what to do. */
export function ErrorState({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  return (
    <div
      role="alert"
      className="flex flex-col items-start gap-2 rounded-lg border border-danger bg-danger-ground p-4"
    >
      <p className="flex items-center gap-2 text-sm font-medium text-danger">
        <CircleAlert size={16} aria-hidden />
        {errorTitle(error)}
      </p>
      <p className="text-sm text-text break-words min-w-0 max-w-full">{errorText(error)}</p>
      {retry !== undefined && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

function errorTitle(error: unknown): string {
  if (!(error instanceof BatonError)) return 'The page met an error';
  if (error.code === 'host_unreachable') return 'The host does not answer';
  return error.status === 404 ? 'Not found' : 'The host refused';
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Takes the place of content that is on its way, in about its size. */
export function Skeleton({ rows = 5, className }: { readonly rows?: number; readonly className?: string }) {
  return (
    <div role="status" aria-label="Loading" className={classes('flex flex-col gap-2 p-4', className)}>
      {Array.from({ length: rows }, (_, row) => (
        <div
          key={row}
          className="h-6 rounded bg-sunken animate-pulse"
          style={{ width: `${95 - ((row * 17) % 40)}%` }}
        />
      ))}
    </div>
  );
}

interface UnloadedProps {
  readonly query: Pick<UseQueryResult, 'isPending' | 'error' | 'refetch'>;
  readonly rows?: number;
  readonly className?: string;
}

/** What is shown while the host has not answered, and why it did not. Nothing after a good answer. */
export function Unloaded({ query: { isPending, error, refetch }, ...size }: UnloadedProps) {
  if (isPending) return <Skeleton {...size} />;
  return error === null ? null : <ErrorState error={error} retry={() => void refetch()} />;
}

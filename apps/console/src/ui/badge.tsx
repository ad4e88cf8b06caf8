import type { RunStatus } from '@baton/client';
import {
  Ban,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './class-names.ts';
import { LOOK_CLASSES, LOOK_OF, STATUS_WORDS, type StatusLook } from './status.ts';

const ICONS: Readonly<Record<StatusLook, LucideIcon>> = {
  pending: CircleDashed,
  running: LoaderCircle,
  waiting: Hourglass,
  paused: CirclePause,
  completed: CircleCheck,
  failed: CircleX,
  cancelled: Ban,
};

const SHAPE =
  'inline-flex items-center gap-1.5 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap';

export function StatusIcon({ look, size = 14 }: { readonly look: StatusLook; readonly size?: number }) {
  const Icon = ICONS[look];
  return <Icon size={size} aria-hidden className={look === 'running' ? 'animate-spin' : ''} />;
}

/** The status of a run: always an icon and a word, never the colour alone. */
export function StatusBadge({
  status,
  className,
}: {
  readonly status: RunStatus;
  readonly className?: string;
}) {
  return (
    <LookBadge look={LOOK_OF[status]} className={className}>
      {STATUS_WORDS[status]}
    </LookBadge>
  );
}

interface LookBadgeProps {
  readonly look: StatusLook;
  readonly children: ReactNode;
  readonly className?: string | undefined;
}

export function LookBadge({ look, children, className }: LookBadgeProps) {
  return (
    <span className={classes(SHAPE, LOOK_CLASSES[look], className)}>
      <StatusIcon look={look} />
      {children}
    </span>
  );
}

/** A short fact without a status, such as a tag or a version. */
export function Badge({ children, title }: { readonly children: ReactNode; readonly title?: string }) {
  return (
    <span title={title} className={classes(SHAPE, 'max-w-full bg-sunken text-muted border border-line')}>
      <span className="truncate">{children}</span>
    </span>
  );
}

import type { WaitingInterrupt } from '@baton/client';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { classes } from '../../ui/class-names.ts';
import { Ago } from '../../ui/times.tsx';
import { Deadline } from './deadline.tsx';
import { KIND_LABELS } from './kinds.ts';
import { questionKey } from './question.ts';

interface InboxListProps {
  readonly waiting: readonly WaitingInterrupt[];
  readonly open: string | undefined;
}

/** Everything that waits, oldest first. Only the entries in view are drawn. */
export function InboxList({ waiting, open }: InboxListProps) {
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: waiting.length,
    getScrollElement: () => frame.current,
    estimateSize: () => 88,
    getItemKey: (index) => questionKey(waiting[index] ?? { runId: '', interruptId: String(index) }),
    overscan: 8,
  });
  const place = waiting.findIndex((one) => questionKey(one) === open);
  useEffect(() => {
    if (place >= 0) virtual.scrollToIndex(place, { align: 'auto' });
  }, [place, virtual]);
  return (
    <div ref={frame} className="overflow-y-auto max-h-[calc(100dvh-11rem)] lg:max-h-[calc(100dvh-7.5rem)]">
      <ul aria-label="Questions" className="relative -mt-px" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const one = waiting[index];
          return one === undefined ? null : (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Entry one={one} isOpen={index === place} reachable={index === Math.max(0, place)} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface EntryProps {
  readonly one: WaitingInterrupt;
  readonly isOpen: boolean;
  readonly reachable: boolean;
}

function Entry({ one, isOpen, reachable }: EntryProps) {
  return (
    <Link
      to="/inbox"
      search={{ open: questionKey(one) }}
      data-question={questionKey(one)}
      tabIndex={reachable ? 0 : -1}
      aria-current={isOpen ? 'true' : undefined}
      className={classes(
        'block px-4 py-3 border-t border-line border-l-2 -outline-offset-2',
        isOpen ? 'bg-accent-ground border-l-accent' : 'border-l-transparent hover:bg-sunken',
      )}
    >
      <span className="text-sm font-medium line-clamp-2 break-words">
        <bdi>{one.title}</bdi>
      </span>
      <span className="block text-xs text-muted truncate mt-0.5">
        <bdi>{one.workflowId}</bdi> · {one.nodeId}
      </span>
      <span className="flex flex-wrap items-center justify-between gap-x-3 text-xs text-muted mt-1">
        <span>
          {KIND_LABELS[one.kind] ?? one.kind} · <Ago at={one.requestedAt} />
        </span>
        {one.expiresAt !== undefined && <Deadline at={one.expiresAt} />}
      </span>
    </Link>
  );
}

import type { WaitingInterrupt } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowLeft, CircleCheckBig, Keyboard } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { inboxQuery } from '../../layout/inbox-count.ts';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { classes } from '../../ui/class-names.ts';
import { useMediaQuery, WIDE } from '../../ui/media-query.ts';
import { Page } from '../../ui/page.tsx';
import { ShortcutHelp } from '../../ui/shortcut-help.tsx';
import { useShortcuts } from '../../ui/shortcuts.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Ago } from '../../ui/times.tsx';
import { Deadline } from './deadline.tsx';
import { KIND_LABELS } from './kinds.ts';
import { questionKey } from './question.ts';
import { ClosedQuestion, QuestionPanel } from './question-panel.tsx';

const KEYS: readonly (readonly [readonly string[], string])[] = [
  [['j', '↓'], 'Next question'],
  [['k', '↑'], 'Previous question'],
  [['a'], 'Accept'],
  [['r'], 'Reject with a reason'],
  [['e'], 'Edit and accept'],
  [['q'], 'Ask a question back'],
  [['?'], 'This help'],
];

/** What waits for a person: the questions, and the one that is open. On a phone one after the other. */
export function InboxPage() {
  const { data: waiting, error, refetch } = useQuery(inboxQuery);
  const [help, setHelp] = useState(false);
  return (
    <Page
      title="Inbox"
      description="What runs wait for: approvals, questions and events, oldest first."
      actions={
        <Button
          kind="quiet"
          icon={<Keyboard size={16} aria-hidden />}
          onClick={() => setHelp(true)}
          className="max-lg:hidden"
        >
          Shortcuts
        </Button>
      }
    >
      {waiting !== undefined ? (
        <Questions waiting={waiting} onHelp={() => setHelp(true)} />
      ) : error === null ? (
        <Skeleton />
      ) : (
        <ErrorState error={error} retry={() => void refetch()} />
      )}
      <ShortcutHelp open={help} onClose={() => setHelp(false)} keys={KEYS} />
    </Page>
  );
}

interface QuestionsProps {
  readonly waiting: readonly WaitingInterrupt[];
  readonly onHelp: () => void;
}

function Questions({ waiting, onHelp }: QuestionsProps) {
  const { open } = useSearch({ from: '/inbox' });
  const wide = useMediaQuery(WIDE);
  const navigate = useNavigate({ from: '/inbox' });
  const show = (one: WaitingInterrupt | undefined, replace = false) =>
    void navigate({
      search: one === undefined ? {} : { open: questionKey(one) },
      replace,
      resetScroll: !wide,
    });
  const place = waiting.findIndex((one) => questionKey(one) === open);
  const current = waiting[place];
  const first = waiting[0];
  // A wide page always shows a question; a phone shows the list first.
  useEffect(() => {
    if (wide && open === undefined && first !== undefined) {
      void navigate({ search: { open: questionKey(first) }, replace: true });
    }
  }, [wide, open, first, navigate]);
  const move = (by: number) => () => {
    const next = waiting[place < 0 ? 0 : Math.min(waiting.length - 1, Math.max(0, place + by))];
    if (next === undefined) return false;
    show(next, true);
  };
  useShortcuts({ j: move(1), ArrowDown: move(1), k: move(-1), ArrowUp: move(-1), '?': onHelp });
  if (waiting.length === 0 && open === undefined) return <AllDone />;
  const next = waiting[place + 1] ?? waiting[place - 1];
  return (
    <div className="grid gap-4 lg:grid-cols-[22rem_minmax(0,1fr)] items-start">
      <Card flush className={classes('overflow-hidden', open !== undefined && 'max-lg:hidden')}>
        {waiting.length === 0 ? (
          <p className="p-4 text-sm text-muted">Nothing else waits.</p>
        ) : (
          <InboxList waiting={waiting} open={open} />
        )}
      </Card>
      {open !== undefined && (
        <div className="min-w-0 flex flex-col gap-3">
          <Link to="/inbox" search={{}} className={buttonClasses('quiet', 'self-start -ml-3 lg:hidden')}>
            <ArrowLeft size={16} aria-hidden /> All questions
          </Link>
          {current === undefined ? (
            <ClosedQuestion key={open} open={open} next={first} />
          ) : (
            <QuestionPanel key={open} place={current} onAnswered={() => show(wide ? next : undefined)} />
          )}
        </div>
      )}
    </div>
  );
}

function AllDone() {
  return (
    <div className="flex flex-col items-center text-center gap-2 px-6 py-16">
      <CircleCheckBig size={32} aria-hidden className="text-status-completed" />
      <h2>Nothing waits for you</h2>
      <p className="text-sm text-muted max-w-md">
        Runs that need an approval, an answer or an event appear here by themselves. The tab of the browser
        counts them.
      </p>
      <Link to="/runs" className={buttonClasses('secondary', 'mt-2')}>
        See all runs
      </Link>
    </div>
  );
}

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

import { Menu } from '@base-ui/react/menu';
import type { Scope } from '@baton/protocol';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import {
  Bot,
  ChevronsUpDown,
  Inbox,
  ListTree,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Server,
  Sun,
  UserRound,
  Workflow,
} from 'lucide-react';
import { Suspense, useEffect } from 'react';
import { baton } from '../api/baton.ts';
import { SESSION_KEY } from '../api/queries.ts';
import { useConnected } from '../api/runs/connection.ts';
import { liveRuns } from '../api/runs/live-runs.ts';
import { useMay, useSession } from '../session/session.ts';
import { chooseTheme, type ThemeChoice, useThemeChoice } from '../theme/theme.ts';
import { Skeleton } from '../ui/states.tsx';
import { waitingInTitle } from '../ui/title.ts';
import { Toasts, tellError } from '../ui/toast.tsx';
import { inboxCountQuery } from './inbox-count.ts';

interface Place {
  readonly to: '/runs' | '/inbox' | '/workflows' | '/agents' | '/host';
  readonly label: string;
  readonly icon: LucideIcon;
  /** The scope without which the page shows nothing. */
  readonly scope: Scope;
}

const PLACES: readonly Place[] = [
  { to: '/runs', label: 'Runs', icon: ListTree, scope: 'runs:read' },
  { to: '/inbox', label: 'Inbox', icon: Inbox, scope: 'runs:read' },
  { to: '/workflows', label: 'Workflows', icon: Workflow, scope: 'manifest:read' },
  { to: '/agents', label: 'Agents', icon: Bot, scope: 'manifest:read' },
  { to: '/host', label: 'Host', icon: Server, scope: 'host:operate' },
];

/** The frame around every page: where one can go, who is signed in, and the page itself. */
export function Shell() {
  const may = useMay();
  const { host } = useSession();
  const waiting = useQuery({ ...inboxCountQuery, enabled: may('runs:read') }).data ?? 0;
  useEffect(() => waitingInTitle.setWaiting(waiting), [waiting]);
  const queries = useQueryClient();
  const maySeeRuns = may('runs:read');
  useEffect(() => (maySeeRuns ? liveRuns(queries) : undefined), [queries, maySeeRuns]);
  const places = PLACES.filter(({ scope }) => may(scope));
  return (
    <Toasts>
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:p-2 bg-raised rounded"
      >
        Skip to the content
      </a>
      <div className="min-h-dvh md:grid md:grid-cols-[13rem_minmax(0,1fr)]">
        <aside className="hidden md:flex flex-col gap-1 border-r border-line bg-surface p-3 sticky top-0 h-dvh">
          <Link to="/" className="flex items-center gap-2.5 px-2 py-2 mb-2 rounded-md">
            <img src="/icon.svg" alt="" width={26} height={26} />
            <span className="font-semibold">Baton</span>
            <span className="text-xs text-muted">{host.version}</span>
          </Link>
          <nav aria-label="Pages" className="flex flex-col gap-0.5">
            {places.map((place) => (
              <PlaceLink key={place.to} place={place} count={place.to === '/inbox' ? waiting : 0} />
            ))}
          </nav>
          <div className="mt-auto">
            <AccountMenu />
          </div>
        </aside>
        <main id="content" tabIndex={-1} className="min-w-0 pb-20 md:pb-6 outline-none">
          <div className="md:hidden flex items-center justify-between px-4 pt-3">
            <Link to="/" className="flex items-center gap-2 font-semibold">
              <img src="/icon.svg" alt="" width={24} height={24} /> Baton
            </Link>
            <AccountMenu compact />
          </div>
          <ConnectionNotice />
          <Suspense fallback={<Skeleton className="p-6" />}>
            <Outlet />
          </Suspense>
        </main>
        <nav
          aria-label="Pages"
          className="md:hidden fixed bottom-0 inset-x-0 z-30 bg-surface border-t border-line grid auto-cols-fr grid-flow-col"
        >
          {places.map((place) => (
            <PlaceLink key={place.to} place={place} count={place.to === '/inbox' ? waiting : 0} below />
          ))}
        </nav>
      </div>
    </Toasts>
  );
}

/** Pages keep showing what they knew last, so they must say that it may be old. */
function ConnectionNotice() {
  if (useConnected()) return null;
  return (
    <p role="status" className="bg-status-waiting-ground text-status-waiting text-sm px-4 py-2 md:px-6">
      The host does not answer. This page shows the last known state and tries again by itself.
    </p>
  );
}

interface PlaceLinkProps {
  readonly place: Place;
  readonly count: number;
  /** For the bar at the lower edge of a phone. */
  readonly below?: boolean;
}

function PlaceLink({ place: { to, label, icon: Icon }, count, below = false }: PlaceLinkProps) {
  const shape = below
    ? 'relative flex flex-col items-center gap-0.5 py-2 text-xs text-muted data-[status=active]:text-accent'
    : 'flex items-center gap-2.5 rounded-md px-2 h-9 text-sm text-muted hover:bg-sunken hover:text-text data-[status=active]:bg-accent-ground data-[status=active]:text-accent data-[status=active]:font-medium';
  return (
    <Link to={to} className={shape}>
      <Icon size={below ? 20 : 17} aria-hidden />
      {label}
      {count > 0 && (
        <span
          className={`${below ? 'absolute top-1 left-1/2 ml-2' : 'ml-auto'} rounded-full bg-status-waiting-ground text-status-waiting text-xs font-medium px-1.5 min-w-5 text-center`}
        >
          {count > 99 ? '99+' : count}
          <span className="sr-only"> waiting</span>
        </span>
      )}
    </Link>
  );
}

const THEMES = [
  ['system', 'As the device', Monitor],
  ['light', 'Light', Sun],
  ['dark', 'Dark', Moon],
] as const;

const ITEM =
  'flex items-center gap-2 rounded px-2 h-8 text-sm outline-none data-[highlighted]:bg-sunken data-[checked]:text-accent';

/** Who is signed in, the theme, and the way out. */
function AccountMenu({ compact = false }: { readonly compact?: boolean }) {
  const { tenant, principal } = useSession();
  const queries = useQueryClient();
  const theme = useThemeChoice();
  const signOut = () =>
    baton.session.signOut().then(() => {
      queries.setQueryData(SESSION_KEY, null);
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
    }, tellError);
  return (
    <Menu.Root>
      <Menu.Trigger
        className={`flex items-center gap-2 rounded-md p-2 text-left hover:bg-sunken ${compact ? '' : 'w-full'}`}
      >
        <UserRound size={18} aria-hidden className="text-muted" />
        <span className="sr-only">Account and theme</span>
        {!compact && (
          <>
            <span className="min-w-0 flex-1">
              <span className="block text-sm truncate">{principal}</span>
              <span className="block text-xs text-muted truncate">{tenant}</span>
            </span>
            <ChevronsUpDown size={14} aria-hidden className="text-muted" />
          </>
        )}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner side={compact ? 'bottom' : 'top'} align="start" sideOffset={6} className="z-50">
          <Menu.Popup className="bg-raised border border-line shadow-raised rounded-lg p-1 min-w-48 outline-none">
            <p className="px-2 py-1.5 text-xs text-muted max-w-60 break-words border-b border-line mb-1">
              Signed in as <bdi className="text-text">{principal}</bdi> of{' '}
              <bdi className="text-text">{tenant}</bdi>
            </p>
            <Menu.RadioGroup value={theme} onValueChange={(choice: ThemeChoice) => chooseTheme(choice)}>
              {THEMES.map(([choice, label, Icon]) => (
                <Menu.RadioItem key={choice} value={choice} className={ITEM}>
                  <Icon size={15} aria-hidden />
                  {label}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="h-px bg-line my-1" />
            <Menu.Item className={ITEM} onClick={signOut}>
              <LogOut size={15} aria-hidden />
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

import { Menu } from '@base-ui/react/menu';
import { useQueryClient } from '@tanstack/react-query';
import { ChevronsUpDown, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react';
import { baton } from '../api/baton.ts';
import { SESSION_KEY } from '../api/queries.ts';
import { useSession } from '../session/session.ts';
import { chooseTheme, type ThemeChoice, useThemeChoice } from '../theme/theme.ts';
import { tellError } from '../ui/toast.tsx';

const THEMES = [
  ['system', 'As the device', Monitor],
  ['light', 'Light', Sun],
  ['dark', 'Dark', Moon],
] as const;

const ITEM =
  'flex items-center gap-2 rounded px-2 h-8 text-sm outline-none data-[highlighted]:bg-sunken data-[checked]:text-accent';

/** Who is signed in, the theme, and the way out. */
export function AccountMenu({ compact = false }: { readonly compact?: boolean }) {
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

import type { Scope } from '@baton/protocol';
import { Bot, Inbox, ListTree, type LucideIcon, Server, Workflow } from 'lucide-react';

export interface Place {
  readonly to: '/runs' | '/inbox' | '/workflows' | '/agents' | '/host';
  readonly label: string;
  readonly icon: LucideIcon;
  /** The scope without which the page shows nothing. */
  readonly scope: Scope;
}

export const PLACES: readonly Place[] = [
  { to: '/runs', label: 'Runs', icon: ListTree, scope: 'runs:read' },
  { to: '/inbox', label: 'Inbox', icon: Inbox, scope: 'runs:read' },
  { to: '/workflows', label: 'Workflows', icon: Workflow, scope: 'manifest:read' },
  { to: '/agents', label: 'Agents', icon: Bot, scope: 'manifest:read' },
  { to: '/host', label: 'Host', icon: Server, scope: 'host:operate' },
];

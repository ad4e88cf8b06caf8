import { useNavigate, useSearch } from '@tanstack/react-router';
import type { HostView } from '../../search.ts';
import { useMay, useSession } from '../../session/session.ts';
import { CopyText } from '../../ui/copy.tsx';
import { Page } from '../../ui/page.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { AccessView } from './access-view.tsx';
import { AuditView } from './audit/audit-view.tsx';
import { CapabilitiesView } from './capabilities/capabilities-view.tsx';
import { NowView } from './now-view.tsx';
import { StorageView } from './storage-view.tsx';

/** For operators: whether the host works, how fast, what it stores, and whether its logs are as they were written. */
export function HostPage() {
  const may = useMay();
  const { host } = useSession();
  const { view } = useSearch({ from: '/host' });
  const navigate = useNavigate({ from: '/host' });
  const tabs: readonly Tab<HostView>[] = [
    { name: 'now', label: 'Now', content: () => <NowView /> },
    ...(may('host:operate')
      ? ([
          { name: 'storage', label: 'Storage', content: () => <StorageView /> },
          { name: 'access', label: 'Keys and peers', content: () => <AccessView /> },
        ] as const)
      : []),
    { name: 'capabilities', label: 'Capabilities', content: () => <CapabilitiesView /> },
    ...(may('audit:read') ? [{ name: 'audit', label: 'Audit', content: () => <AuditView /> } as const] : []),
  ];
  const selected = tabs.find(({ name }) => name === view)?.name ?? 'now';
  return (
    <Page title="Host" description={<CopyText text={host.id} label="host id" />}>
      <Tabs
        label="Parts of the host"
        tabs={tabs}
        selected={selected}
        onSelect={(name) => void navigate({ search: { view: name }, replace: true, resetScroll: false })}
      />
    </Page>
  );
}

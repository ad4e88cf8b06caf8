import { useQuery } from '@tanstack/react-query';
import { baton } from '../../../api/baton.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { Unloaded } from '../../../ui/states.tsx';
import { Facts, Table, Td } from '../../../ui/table.tsx';
import { capabilityGroups, type Role, rolesOf } from './groups.ts';

/** What the host says of itself to every client. */
export function CapabilitiesView() {
  const document = useQuery({
    queryKey: ['host', 'capabilities'],
    queryFn: ({ signal }) => baton.host.capabilities({ signal }),
    staleTime: 60_000,
  });
  if (document.data === undefined) return <Unloaded query={document} rows={10} />;
  const groups = capabilityGroups(document.data);
  return (
    <div className="flex flex-col gap-4">
      <div className="columns-1 lg:columns-2 gap-4">
        {groups.map(({ title, facts }) => (
          <div key={title} className="break-inside-avoid mb-4">
            <Card title={title}>
              <Facts facts={facts.map(({ name, value }) => [name, value])} />
            </Card>
          </div>
        ))}
      </div>
      <Roles roles={rolesOf(document.data)} />
    </div>
  );
}

function Roles({ roles }: { readonly roles: readonly Role[] }) {
  if (roles.length === 0) return null;
  return (
    <Card title="What each role may do" flush>
      <Table label="Roles" columns={['Role', 'Scopes']}>
        {roles.map(({ role, scopes }) => (
          <tr key={role}>
            <Td className="font-medium">{role}</Td>
            <Td className="min-w-64">
              <span className="flex flex-wrap gap-1">
                {scopes.map((scope) => (
                  <Badge key={scope}>{scope}</Badge>
                ))}
              </span>
            </Td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

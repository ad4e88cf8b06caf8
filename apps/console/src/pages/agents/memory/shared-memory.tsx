import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { baton } from '../../../api/baton.ts';
import { Card } from '../../../ui/card.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../../ui/states.tsx';
import { MemoryEntries } from './memory-entries.tsx';

/** The memory scopes of the tenant. */
async function readScopes(signal: AbortSignal): Promise<readonly string[]> {
  const scopes: string[] = [];
  for await (const { scopeId } of baton.memory.scopes({ signal })) scopes.push(scopeId);
  return scopes;
}

/** The memory that runs with the same scope share, and what this agent has written there. */
export function SharedMemory({ agentId }: { readonly agentId: string }) {
  const [chosen, setChosen] = useState<string>();
  const [ownOnly, setOwnOnly] = useState(false);
  const scopes = useQuery({ queryKey: ['memory', 'scopes'], queryFn: ({ signal }) => readScopes(signal) });
  const scope = chosen ?? scopes.data?.[0];
  if (scopes.isPending) return <Skeleton rows={4} />;
  if (scopes.data === undefined) {
    return <ErrorState error={scopes.error} retry={() => void scopes.refetch()} />;
  }
  if (scope === undefined) {
    return (
      <EmptyState title="No runs share a memory yet">
        Runs that are started with the same scope id share one. The memory of a single run is in the list
        above.
      </EmptyState>
    );
  }
  return (
    <>
      <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
        <div className="w-72 max-w-full">
          <SelectField label="Scope" value={scope} onChange={({ target }) => setChosen(target.value)}>
            {scopes.data.map((id) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </SelectField>
        </div>
        <label className="flex items-center gap-2 text-sm min-h-9">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={ownOnly}
            onChange={({ target }) => setOwnOnly(target.checked)}
          />
          Only entries of this agent
        </label>
      </div>
      <ScopeEntries scope={scope} agentId={ownOnly ? agentId : undefined} />
    </>
  );
}

function ScopeEntries({ scope, agentId }: { readonly scope: string; readonly agentId: string | undefined }) {
  const contents = useQuery({
    queryKey: ['memory', 'scope', scope],
    queryFn: ({ signal }) => baton.memory.read(scope, { limit: 200, signal }),
  });
  if (contents.isPending) return <Skeleton rows={4} />;
  if (contents.data === undefined) {
    return <ErrorState error={contents.error} retry={() => void contents.refetch()} />;
  }
  const entries = contents.data.entries.filter(({ by }) => agentId === undefined || by.agentId === agentId);
  return (
    <Card title={`Entries of ${scope}`} flush={entries.length > 0}>
      <MemoryEntries entries={entries} none="There are no entries here." />
    </Card>
  );
}

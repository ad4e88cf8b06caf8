import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { baton } from '../../../api/baton.ts';
import { Card } from '../../../ui/card.tsx';
import { shortId } from '../../../ui/copy.tsx';
import { CheckField, SelectField, TextField } from '../../../ui/field.tsx';
import { EmptyState, Unloaded } from '../../../ui/states.tsx';
import { distanceText } from '../../../ui/times.tsx';
import { agentRunsQuery } from '../queries.ts';
import { entriesOf, MemoryEntries } from './memory-entries.tsx';

interface MemoryPlace {
  readonly run?: string;
  readonly at?: number;
}

interface MemoryViewProps {
  readonly agentId: string;
  readonly run: string | undefined;
  readonly at: number | undefined;
  readonly onChange: (place: MemoryPlace) => void;
}

/** What the agent could recall: in the memory scopes that runs share, or in one of its runs, now or before an event. */
export function MemoryView({ agentId, run, at, onChange }: MemoryViewProps) {
  const runs = useQuery(agentRunsQuery(agentId, 50));
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-3 sm:grid-cols-[minmax(0,24rem)_12rem]">
        <SelectField
          label="Memory of"
          value={run ?? ''}
          onChange={({ target }) => onChange(target.value === '' ? {} : { run: target.value })}
        >
          <option value="">The scopes that runs share, now</option>
          {run !== undefined && !runs.data?.some(({ runId }) => runId === run) && (
            <option value={run}>Run {shortId(run)}</option>
          )}
          {runs.data?.map(({ runId, createdAt }) => (
            <option key={runId} value={runId}>
              Run {shortId(runId)}, {distanceText(Date.parse(createdAt), Date.now())}
            </option>
          ))}
        </SelectField>
        {run !== undefined && (
          <TextField
            label="Before event"
            type="number"
            min={0}
            placeholder="now"
            value={at ?? ''}
            onChange={({ target }) =>
              onChange({
                run,
                ...(target.value !== '' && { at: Math.max(0, Math.trunc(Number(target.value))) }),
              })
            }
          />
        )}
      </div>
      {run === undefined ? <SharedMemory agentId={agentId} /> : <RunMemory run={run} at={at} />}
    </div>
  );
}

function RunMemory({ run, at }: { readonly run: string; readonly at: number | undefined }) {
  const state = useQuery({
    queryKey: ['runs', 'memory', run, at ?? 'now'],
    queryFn: ({ signal }) =>
      at === undefined ? baton.run(run).state({ signal }) : baton.run(run).stateAt(at, { signal }),
  });
  if (state.data === undefined) return <Unloaded query={state} rows={4} />;
  const entries = entriesOf(state.data.memory);
  return (
    <Card
      title={at === undefined ? 'Memory of the run now' : `Memory before event ${state.data.at}`}
      flush={entries.length > 0}
    >
      <MemoryEntries
        entries={entries}
        none="The run remembered nothing then. Entries are written by memory nodes and by agents with tools for memory."
      />
    </Card>
  );
}

/** The memory scopes of the tenant. */
async function readScopes(signal: AbortSignal): Promise<readonly string[]> {
  const scopes: string[] = [];
  for await (const { scopeId } of baton.memory.scopes({ signal })) scopes.push(scopeId);
  return scopes;
}

/** The memory that runs with the same scope share, and what this agent has written there. */
function SharedMemory({ agentId }: { readonly agentId: string }) {
  const [chosen, setChosen] = useState<string>();
  const [ownOnly, setOwnOnly] = useState(false);
  const scopes = useQuery({ queryKey: ['memory', 'scopes'], queryFn: ({ signal }) => readScopes(signal) });
  const scope = chosen ?? scopes.data?.[0];
  if (scopes.data === undefined) return <Unloaded query={scopes} rows={4} />;
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
        <CheckField
          label="Only entries of this agent"
          checked={ownOnly}
          onChange={setOwnOnly}
          className="min-h-9"
        />
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
  if (contents.data === undefined) return <Unloaded query={contents} rows={4} />;
  const entries = contents.data.entries.filter(({ by }) => agentId === undefined || by.agentId === agentId);
  return (
    <Card title={`Entries of ${scope}`} flush={entries.length > 0}>
      <MemoryEntries entries={entries} none="There are no entries here." />
    </Card>
  );
}

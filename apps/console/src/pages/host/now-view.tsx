import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { baton } from '../../api/baton.ts';
import { useMay, useSession } from '../../session/session.ts';
import { Badge, LookBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyText, shortId } from '../../ui/copy.tsx';
import { errorText, Unloaded } from '../../ui/states.tsx';
import { Table, Td } from '../../ui/table.tsx';
import { Ago } from '../../ui/times.tsx';
import { tell, tellError } from '../../ui/toast.tsx';
import { MetricCharts } from './metrics/metric-charts.tsx';

/** Whether the host works now, and what it does. */
export function NowView() {
  const may = useMay();
  return (
    <div className="flex flex-col gap-4">
      <HealthCards />
      <MetricCharts />
      {may('host:operate') && <SharingHosts />}
      {may('host:operate') && <HeldRuns />}
    </div>
  );
}

const EVERY_MS = 5_000;

const REASONS: Readonly<Record<string, string>> = {
  stopping: 'The host is being stopped.',
  'engine-not-answering': 'The thread that computes runs does not answer.',
  'storage-full': 'The disk is full. No event can be stored until there is room.',
  'storage-failing': 'The store cannot be written.',
};

/** Health, readiness, and the version, each in one line. */
function HealthCards() {
  const { host } = useSession();
  const health = useQuery({
    queryKey: ['host', 'health'],
    queryFn: ({ signal }) => baton.host.health({ signal }),
    refetchInterval: EVERY_MS,
  });
  const readiness = useQuery({
    queryKey: ['host', 'readiness'],
    queryFn: ({ signal }) => baton.host.readiness({ signal }),
    refetchInterval: EVERY_MS,
  });
  const isReady = readiness.data?.ready === true && readiness.error === null;
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <Fact name="Process">
        <State
          isKnown={!health.isPending}
          isGood={health.error === null}
          good="Alive"
          bad="Does not answer"
        />
        {health.error !== null && <Note>{errorText(health.error)}</Note>}
      </Fact>
      <Fact name="Work">
        <State
          isKnown={!readiness.isPending}
          isGood={isReady}
          good="Accepts work"
          bad={readiness.error === null ? 'Accepts no work' : 'Not known'}
        />
        {readiness.data?.ready === false && (
          <Note>{REASONS[readiness.data.status] ?? readiness.data.status}</Note>
        )}
      </Fact>
      <Fact name="Version">
        <span className="text-base font-semibold">{host.version}</span>
      </Fact>
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <section className="bg-surface border border-line rounded-lg px-4 py-3 min-w-0">
      <h2 className="text-xs font-medium text-muted">{name}</h2>
      <div className="mt-1 flex flex-col items-start gap-1">{children}</div>
    </section>
  );
}

function Note({ children }: { readonly children: string }) {
  return <p className="text-sm text-muted break-words">{children}</p>;
}

interface StateProps {
  readonly isKnown: boolean;
  readonly isGood: boolean;
  readonly good: string;
  readonly bad: string;
}

function State({ isKnown, isGood, good, bad }: StateProps) {
  if (!isKnown) return <LookBadge look="pending">Asking</LookBadge>;
  return <LookBadge look={isGood ? 'completed' : 'failed'}>{isGood ? good : bad}</LookBadge>;
}

const HELD_KEY = ['host', 'held-runs'] as const;

const HELD_REASONS: Readonly<Record<string, string>> = {
  lost: 'The process ended three times while it worked on the run.',
  stalled: 'The engine worked on the run for too long.',
  kin: 'Three other runs of the same version of its workflow are held.',
};

/** Runs that stopped the engine. They are not computed until somebody releases them. */
function HeldRuns() {
  const held = useQuery({
    queryKey: HELD_KEY,
    queryFn: ({ signal }) => baton.host.heldRuns({ signal }),
    refetchInterval: 10_000,
  });
  const queries = useQueryClient();
  const release = useMutation({
    mutationFn: (runId: string) => baton.host.releaseHeldRun(runId),
    onSuccess: (_, runId) =>
      tell(`Run ${shortId(runId)} is released. If it stops the engine again, it is held again.`),
    onError: tellError,
    onSettled: () => queries.invalidateQueries({ queryKey: HELD_KEY }),
  });
  return (
    <Card title="Held runs" flush={held.data !== undefined && held.data.total > 0}>
      <Unloaded query={held} rows={2} className="p-0" />
      {held.data?.total === 0 && (
        <p className="text-sm text-muted">No run is held. A run is held when it has stopped the engine.</p>
      )}
      {held.data !== undefined && held.data.total > 0 && (
        <Table
          label="Held runs"
          columns={['Run', 'Workflow', 'Tenant', 'Why', 'Held', [<span className="sr-only">Release</span>]]}
        >
          {held.data.runs.map((run) => (
            <tr key={run.runId}>
              <Td>
                <CopyText text={run.runId} shown={shortId(run.runId)} label="run id" />
              </Td>
              <Td className="break-all">
                {run.workflowId}, version {run.workflowVersion}
              </Td>
              <Td>
                <bdi>{run.tenant}</bdi>
              </Td>
              <Td className="min-w-48">{HELD_REASONS[run.reason] ?? run.reason}</Td>
              <Td className="whitespace-nowrap text-muted">
                <Ago at={run.heldAt} />
              </Td>
              <Td className="text-right">
                <Button
                  busy={release.isPending && release.variables === run.runId}
                  onClick={() => release.mutate(run.runId)}
                  aria-label={`Release run ${run.runId}`}
                >
                  Release
                </Button>
              </Td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
}

type Hosts = Awaited<ReturnType<typeof baton.host.hosts>>;

/** The hosts that share a database with this one. Nothing is shown for a host that has its data for itself. */
function SharingHosts() {
  const found = useQuery({
    queryKey: ['host', 'hosts'],
    queryFn: ({ signal }) => baton.host.hosts({ signal }),
    refetchInterval: 2_000,
  });
  if (found.data === undefined) return <Unloaded query={found} rows={2} />;
  if (!found.data.isShared) return null;
  return (
    <Card title="Hosts that share the database">
      <HostTable hosts={found.data.hosts} />
    </Card>
  );
}

function HostTable({ hosts }: { readonly hosts: Hosts['hosts'] }) {
  return (
    <Table
      label="Hosts"
      columns={[
        'Host',
        'Version',
        'Started',
        ['Last seen', 'text-right'],
        ['Unfinished trees', 'text-right'],
        ['Calls under way', 'text-right'],
      ]}
    >
      {hosts.map((host) => (
        <tr key={host.number}>
          <Td>
            <bdi className="font-medium">{host.name}</bdi> {host.isThis && <Badge>this host</Badge>}{' '}
            {host.isDraining && <Badge>stops</Badge>}
            <span className="block text-xs text-muted break-all">{host.url}</span>
          </Td>
          <Td>{host.version}</Td>
          <Td className="whitespace-nowrap text-muted">
            <Ago at={host.startedAt} />
          </Td>
          <Td className="text-right tabular-nums whitespace-nowrap">
            {(host.silentMs / 1000).toFixed(1)} s ago
          </Td>
          <Td className="text-right tabular-nums">{host.trees}</Td>
          <Td className="text-right tabular-nums">{host.effects}</Td>
        </tr>
      ))}
    </Table>
  );
}

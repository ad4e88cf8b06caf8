import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { baton } from '../../api/baton.ts';
import { useSession } from '../../session/session.ts';
import { LookBadge } from '../../ui/badge.tsx';
import { errorText } from '../../ui/states.tsx';

const EVERY_MS = 5_000;

const REASONS: Readonly<Record<string, string>> = {
  stopping: 'The host is being stopped.',
  'engine-not-answering': 'The thread that computes runs does not answer.',
  'storage-full': 'The disk is full. No event can be stored until there is room.',
  'storage-failing': 'The store cannot be written.',
};

/** Health, readiness, and the version, each in one line. */
export function HealthCards() {
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

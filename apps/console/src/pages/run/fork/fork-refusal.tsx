import { Link } from '@tanstack/react-router';
import { Button, buttonClasses } from '../../../ui/button.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { betterForkIn } from './refusal.ts';

interface ForkRefusalProps {
  readonly error: unknown;
  readonly runId: string;
  /** Makes the fork at the index that the host has named. */
  readonly onUse: (at: number) => void;
  /** The person goes to another run. */
  readonly onLeave: () => void;
}

/** The refusal is at the end of a long form. */
function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}

/** Why the host refused, and the fork that it would make instead. */
export function ForkRefusal({ error, runId, onUse, onLeave }: ForkRefusalProps) {
  const better = betterForkIn(error, runId);
  return (
    <div ref={intoView} className="flex flex-col gap-2 items-start scroll-mb-4">
      <ErrorState error={error} />
      {better !== undefined && better.runId === runId && (
        <Button onClick={() => onUse(better.at)}>Begin before event {better.at} instead</Button>
      )}
      {better !== undefined && better.runId !== runId && (
        <Link
          to="/runs/$runId"
          params={{ runId: better.runId }}
          search={{ at: better.at }}
          onClick={onLeave}
          className={buttonClasses()}
        >
          Go to that run, before event {better.at}
        </Link>
      )}
    </div>
  );
}

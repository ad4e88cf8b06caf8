import { Link } from '@tanstack/react-router';
import { Page } from '../ui/page.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';

export function NotFoundPage() {
  return (
    <Page title="Not found">
      <EmptyState title="There is no page at this address">
        <Link to="/runs" className="text-accent underline">
          Go to the runs
        </Link>
      </EmptyState>
    </Page>
  );
}

/** An error that a page did not expect. The rest of the console goes on. */
export function RouteFault({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  return (
    <Page title="Error">
      <ErrorState error={error} retry={reset} />
    </Page>
  );
}

import { Link } from '@tanstack/react-router';

/** Moves the page of a run to the moment after an event. */
export function MomentLink({ runId, sequence }: { readonly runId: string; readonly sequence: number }) {
  return (
    <Link
      to="/runs/$runId"
      params={{ runId }}
      search={{ at: sequence }}
      className="inline-flex items-center min-h-7 underline decoration-line-strong underline-offset-2 hover:text-text"
    >
      event {sequence}
    </Link>
  );
}

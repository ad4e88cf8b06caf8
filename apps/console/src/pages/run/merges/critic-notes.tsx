import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { baton } from '../../../api/baton.ts';
import { errorText } from '../../../ui/states.tsx';

/** What the critic said beside its verdict. It is read from the run of the critic when somebody asks for it. */
export function CriticNotes({ criticRunId }: { readonly criticRunId: string }) {
  const [open, setOpen] = useState(false);
  const notes = useQuery({
    queryKey: ['critic-notes', criticRunId],
    queryFn: async ({ signal }) => {
      const { variables } = await baton.run(criticRunId).snapshot({ signal });
      return typeof variables.feedback === 'string' ? variables.feedback : '';
    },
    enabled: open,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="underline text-accent min-h-6"
      >
        {open ? 'Hide what it said' : 'What it said'}
      </button>
      {open && (
        <p className="text-muted whitespace-pre-wrap break-words max-h-48 overflow-y-auto" aria-live="polite">
          {notes.isPending && 'Loading…'}
          {notes.isError && errorText(notes.error)}
          {notes.data === '' && 'The critic gave a verdict only.'}
          <bdi>{notes.data}</bdi>
        </p>
      )}
    </div>
  );
}

import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Eye, Play } from 'lucide-react';
import { baton } from '../../api/baton.ts';
import { Button } from '../../ui/button.tsx';
import { tellError } from '../../ui/toast.tsx';
import type { Example } from './examples.ts';

interface StartExampleProps {
  readonly example: Example;
  readonly mayStart: boolean;
}

/** One example: what it does, what to look at, and the button that starts it and shows its run. */
export function StartExample({ example, mayStart }: StartExampleProps) {
  const navigate = useNavigate();
  const start = useMutation({
    mutationFn: () => baton.runs.start(example.workflowId),
    onSuccess: ({ id }) => navigate({ to: '/runs/$runId', params: { runId: id } }),
    onError: tellError,
  });
  return (
    <section
      className="bg-surface border border-line rounded-lg p-5 flex flex-col gap-3"
      aria-labelledby={`example-${example.workflowId}`}
    >
      <div>
        <h2 id={`example-${example.workflowId}`}>{example.title}</h2>
        <p className="font-mono text-xs text-muted mt-0.5">{example.workflowId}</p>
      </div>
      <p className="text-sm">{example.about}</p>
      <p className="text-sm text-muted flex gap-2">
        <Eye size={16} aria-hidden className="shrink-0 mt-0.5" />
        <span>{example.look}</span>
      </p>
      {mayStart && (
        <Button
          kind="primary"
          className="mt-auto self-start"
          busy={start.isPending}
          icon={<Play size={15} aria-hidden />}
          onClick={() => start.mutate()}
          aria-label={`Start the example ${example.title}`}
        >
          Start
        </Button>
      )}
    </section>
  );
}

import { RadioTower } from 'lucide-react';
import { JsonView } from '../../../ui/json-view.tsx';
import type { QuestionData } from '../question.ts';

/** A run that waits for another system. Nobody has to answer; the page says which event it takes. */
export function EventWait({ data: { eventType, correlation } }: { readonly data: QuestionData }) {
  return (
    <div className="p-5 flex flex-col gap-4 text-sm">
      <p className="flex items-start gap-2">
        <RadioTower size={17} aria-hidden className="text-status-waiting shrink-0 mt-0.5" />
        <span>
          The run goes on when another system sends the event{' '}
          <bdi className="font-mono text-xs">{String(eventType)}</bdi>. There is nothing to decide here.
        </span>
      </p>
      {correlation !== undefined && (
        <section className="flex flex-col gap-1">
          <h3 className="text-xs font-medium text-muted">The event must have these values</h3>
          <JsonView value={correlation} />
        </section>
      )}
    </div>
  );
}

import { TextField } from '../../../ui/field.tsx';
import { indexIn } from './edited-variables.ts';
import type { ForkChoice } from './mode-choice.tsx';

interface IndexFieldProps {
  readonly text: string;
  /** The number of the last event. */
  readonly last: number;
  readonly choice: ForkChoice;
  readonly onChange: (text: string) => void;
}

/** The event before which the fork begins. */
export function IndexField({ text, last, choice, onChange }: IndexFieldProps) {
  const hint =
    choice === 'replay' || choice === 'live-replay'
      ? 'Earlier events are taken over as they are. 0 repeats the whole run.'
      : 'The branch has the events before this one, and goes on from there. 0 starts again from the beginning.';
  return (
    <TextField
      label="Begin before event"
      inputMode="numeric"
      className="max-w-32"
      value={text}
      hint={`${hint} The last event is ${last}.`}
      error={indexIn(text, last) === undefined ? `Enter a whole number from 0 to ${last + 1}.` : undefined}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

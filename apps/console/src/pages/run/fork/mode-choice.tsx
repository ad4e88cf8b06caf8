import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';

export type ForkChoice = 'replay' | 'live-replay' | 'branch' | 'retry';

const CHOICES: readonly { readonly choice: ForkChoice; readonly title: string; readonly text: string }[] = [
  {
    choice: 'branch',
    title: 'Branch',
    text: 'Goes on by itself from this moment: asks people, calls models and tools, and can begin with other values.',
  },
  {
    choice: 'replay',
    title: 'Replay',
    text: 'Repeats what happened with the recorded times, answers and results. It performs nothing, and reports every event that comes out differently.',
  },
  {
    choice: 'live-replay',
    title: 'Replay with the models of today',
    text: 'Repeats what happened, but asks the models again, which can cost money, and compares their answers with the recorded ones. Tools are not called, and nobody is asked.',
  },
  {
    choice: 'retry',
    title: 'Retry',
    text: 'Goes on at the node that failed. Work that was done before the failure is not repeated.',
  },
];

interface ModeChoiceProps {
  readonly value: ForkChoice;
  readonly onChange: (choice: ForkChoice) => void;
  readonly canRetry: boolean;
}

export function ModeChoice({ value, onChange, canRetry }: ModeChoiceProps) {
  return (
    <RadioGroup
      aria-label="Kind of fork"
      value={value}
      onValueChange={(choice) => onChange(choice as ForkChoice)}
      className="flex flex-col gap-2"
    >
      {CHOICES.filter(({ choice }) => choice !== 'retry' || canRetry).map(({ choice, title, text }) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: the radio button inside is the control.
        <label
          key={choice}
          className="flex gap-3 rounded-md border border-line p-3 cursor-pointer has-[[data-checked]]:border-accent has-[[data-checked]]:bg-accent-ground"
        >
          <Radio.Root
            value={choice}
            aria-labelledby={`fork-${choice}`}
            aria-describedby={`fork-${choice}-text`}
            className="mt-0.5 size-5 shrink-0 rounded-full border border-line-strong bg-surface grid place-items-center data-[checked]:border-accent"
          >
            <Radio.Indicator className="size-2.5 rounded-full bg-accent" />
          </Radio.Root>
          <span className="min-w-0">
            <span id={`fork-${choice}`} className="block text-sm font-medium">
              {title}
            </span>
            <span id={`fork-${choice}-text`} className="block text-sm text-muted">
              {text}
            </span>
          </span>
        </label>
      ))}
    </RadioGroup>
  );
}

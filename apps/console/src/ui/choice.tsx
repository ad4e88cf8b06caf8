interface ChoiceProps<Name extends string> {
  readonly legend: string;
  /** The names, and the word of each. */
  readonly words: Readonly<Record<Name, string>>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

/** A few ways to see the same thing, as buttons in a row. */
export function Choice<Name extends string>({ legend, words, chosen, onChoose }: ChoiceProps<Name>) {
  return (
    <fieldset className="flex rounded-md border border-line-strong overflow-hidden">
      <legend className="sr-only">{legend}</legend>
      {(Object.keys(words) as Name[]).map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={chosen === name}
          onClick={() => onChoose(name)}
          className="px-2.5 h-7 text-xs text-muted aria-pressed:bg-accent-ground aria-pressed:text-accent aria-pressed:font-medium"
        >
          {words[name]}
        </button>
      ))}
    </fieldset>
  );
}

import { valueText } from '../content/value-text.ts';
import { SelectField, TextAreaField, TextField } from '../field.tsx';
import type { FieldSpec } from './field-spec.ts';

interface FieldInputProps {
  readonly spec: FieldSpec;
  readonly text: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}

/** One control of a generated form. */
export function FieldInput({ spec, text, error, onChange }: FieldInputProps) {
  const { label, hint, required, kind } = spec;
  const shared = {
    label: required ? `${label} (needed)` : label,
    error,
    required,
    // The form itself says what is wrong, in the place of the browser.
    'aria-required': required,
    value: text,
    ...(hint !== undefined && { hint }),
  };
  switch (kind) {
    case 'long-text':
      return <TextAreaField {...shared} dir="auto" onChange={(event) => onChange(event.target.value)} />;
    case 'json':
      return (
        <TextAreaField
          {...shared}
          spellCheck={false}
          className="font-mono text-xs"
          placeholder={spec.json === 'array' ? '[ ]' : spec.json === 'object' ? '{ }' : 'JSON'}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'boolean':
    case 'choice':
      return (
        <SelectField {...shared} onChange={(event) => onChange(event.target.value)}>
          <option value="">{required ? 'Choose…' : 'Not given'}</option>
          {optionsOf(spec).map(([value, shown]) => (
            <option key={value} value={value}>
              {shown}
            </option>
          ))}
        </SelectField>
      );
    case 'number':
      return <TextField {...shared} inputMode="decimal" onChange={(event) => onChange(event.target.value)} />;
    case 'text':
      return (
        <TextField
          {...shared}
          dir="auto"
          autoComplete="off"
          type={spec.sensitive === true ? 'password' : 'text'}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}

function optionsOf({ kind, choices = [] }: FieldSpec): readonly (readonly [value: string, shown: string])[] {
  if (kind === 'boolean') {
    return [
      ['true', 'Yes'],
      ['false', 'No'],
    ];
  }
  return choices.map((choice, place) => [String(place), valueText(choice)]);
}

import { useState } from 'react';
import { CONTROL, Field, SelectField, TextAreaField, TextField } from '../../../ui/field.tsx';
import { ChangeMark } from '../../../ui/value-changes.tsx';
import type { EditableVariable, Edits } from './edited-variables.ts';

const SHOWN_AT_FIRST = 20;

interface VariableFieldsProps {
  readonly variables: readonly EditableVariable[];
  readonly texts: Readonly<Record<string, string>>;
  readonly edits: Edits;
  readonly onChange: (name: string, text: string) => void;
}

/** One field for each variable, by the type of its value. */
export function VariableFields({ variables, texts, edits, onChange }: VariableFieldsProps) {
  const [all, setAll] = useState(false);
  if (variables.length === 0)
    return <p className="text-sm text-muted">The run has no variables at this moment.</p>;
  const shown = all ? variables : variables.slice(0, SHOWN_AT_FIRST);
  return (
    <div className="flex flex-col gap-3">
      {shown.map((variable) => (
        <div key={variable.name} className="flex flex-col gap-1 min-w-0">
          <VariableField
            variable={variable}
            text={texts[variable.name] ?? variable.text}
            problem={edits.problems[variable.name]}
            onChange={(text) => onChange(variable.name, text)}
          />
          {Object.hasOwn(edits.changed, variable.name) && (
            <p className="flex items-center gap-2">
              <ChangeMark kind="changed" />
              <button
                type="button"
                className="text-xs underline text-accent min-h-6"
                onClick={() => onChange(variable.name, variable.text)}
              >
                Undo
              </button>
            </p>
          )}
        </div>
      ))}
      {variables.length > shown.length && (
        <button
          type="button"
          className="text-sm underline text-accent self-start"
          onClick={() => setAll(true)}
        >
          Show {variables.length - shown.length} more variables
        </button>
      )}
    </div>
  );
}

interface VariableFieldProps {
  readonly variable: EditableVariable;
  readonly text: string;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

function VariableField({ variable, text, problem, onChange }: VariableFieldProps) {
  const { name, kind, description, value, isLong } = variable;
  const unset = value === undefined ? 'It is not set at this moment.' : undefined;
  const hint =
    [description?.replace(/\.?$/, '.'), unset].filter((part) => part !== undefined).join(' ') || undefined;
  const common = { label: name, hint, error: problem, value: text };
  if (isLong) {
    return (
      <Field label={name}>
        {(ids) => (
          <input {...ids} readOnly className={CONTROL} value="This value is too long to be changed here." />
        )}
      </Field>
    );
  }
  if (kind === 'boolean') {
    return (
      <SelectField {...common} onChange={(event) => onChange(event.target.value)}>
        {value === undefined && <option value="">not set</option>}
        <option value="true">true</option>
        <option value="false">false</option>
      </SelectField>
    );
  }
  if (kind === 'number') {
    return <TextField {...common} inputMode="decimal" onChange={(event) => onChange(event.target.value)} />;
  }
  return (
    <TextAreaField
      {...common}
      rows={Math.min(8, Math.max(kind === 'json' ? 3 : 1, text.split('\n').length))}
      spellCheck={kind === 'text'}
      dir="auto"
      className={kind === 'json' ? 'font-mono text-xs' : ''}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

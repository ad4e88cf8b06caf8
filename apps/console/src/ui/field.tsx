import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import { classes } from './class-names.ts';

export const CONTROL =
  'w-full rounded-md border border-line-strong bg-surface px-2.5 text-sm text-text placeholder:text-muted ' +
  'aria-invalid:border-danger';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  /** Hides the label from view; screen readers still read it. */
  readonly quiet?: boolean | undefined;
  readonly children: (ids: {
    readonly id: string;
    readonly 'aria-describedby'?: string;
    readonly 'aria-invalid': boolean;
  }) => ReactNode;
}

/** A control with its label, its hint and its error, connected for screen readers. */
export function Field({ label, hint, error, quiet = false, children }: FieldProps) {
  const id = useId();
  const note = error ?? hint;
  const describedBy = note === undefined ? {} : { 'aria-describedby': `${id}-note` };
  return (
    <div className="flex flex-col gap-1 min-w-0">
      <label htmlFor={id} className={quiet ? 'sr-only' : 'text-sm font-medium'}>
        {label}
      </label>
      {children({ id, 'aria-invalid': error !== undefined, ...describedBy })}
      {note !== undefined && (
        <p
          id={`${id}-note`}
          className={classes('text-xs', error === undefined ? 'text-muted' : 'text-danger')}
        >
          {note}
        </p>
      )}
    </div>
  );
}

type Labelled<Control> = Omit<Control, 'id'> & Omit<FieldProps, 'children'>;

/** The parts of a field with a label, and those of its control. */
function split<Control extends object>({ label, hint, error, quiet, ...control }: Labelled<Control>) {
  return { field: { label, hint, error, quiet }, control };
}

export function TextField(props: Labelled<InputHTMLAttributes<HTMLInputElement>>) {
  const { field, control } = split(props);
  return (
    <Field {...field}>
      {(ids) => <input {...ids} {...control} className={classes(CONTROL, 'h-9', props.className)} />}
    </Field>
  );
}

export function TextAreaField(props: Labelled<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  const { field, control } = split(props);
  return (
    <Field {...field}>
      {(ids) => (
        <textarea rows={4} {...ids} {...control} className={classes(CONTROL, 'py-2', props.className)} />
      )}
    </Field>
  );
}

export function SelectField(props: Labelled<SelectHTMLAttributes<HTMLSelectElement>>) {
  const { field, control } = split(props);
  return (
    <Field {...field}>
      {(ids) => <select {...ids} {...control} className={classes(CONTROL, 'h-9 pr-8', props.className)} />}
    </Field>
  );
}

interface CheckFieldProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly className?: string;
}

export function CheckField({ label, checked, onChange, className }: CheckFieldProps) {
  return (
    <label className={classes('flex items-center gap-2 text-sm', className)}>
      <input
        type="checkbox"
        className="size-4 accent-accent"
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
      />
      {label}
    </label>
  );
}

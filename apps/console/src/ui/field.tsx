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
  readonly quiet?: boolean;
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

export function TextField({
  label,
  hint,
  error,
  quiet,
  className,
  ...rest
}: Labelled<InputHTMLAttributes<HTMLInputElement>>) {
  return (
    <Field label={label} hint={hint} error={error} quiet={quiet ?? false}>
      {(ids) => <input {...ids} {...rest} className={classes(CONTROL, 'h-9', className)} />}
    </Field>
  );
}

export function TextAreaField({
  label,
  hint,
  error,
  quiet,
  className,
  ...rest
}: Labelled<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  return (
    <Field label={label} hint={hint} error={error} quiet={quiet ?? false}>
      {(ids) => <textarea rows={4} {...ids} {...rest} className={classes(CONTROL, 'py-2', className)} />}
    </Field>
  );
}

export function SelectField({
  label,
  hint,
  error,
  quiet,
  className,
  children,
  ...rest
}: Labelled<SelectHTMLAttributes<HTMLSelectElement>>) {
  return (
    <Field label={label} hint={hint} error={error} quiet={quiet ?? false}>
      {(ids) => (
        <select {...ids} {...rest} className={classes(CONTROL, 'h-9 pr-8', className)}>
          {children}
        </select>
      )}
    </Field>
  );
}

import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { classes } from './class-names.ts';

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger';

const BASE =
  'inline-flex items-center justify-center gap-1.5 rounded-md px-3 h-9 text-sm font-medium whitespace-nowrap ' +
  'border transition-colors disabled:opacity-55 disabled:cursor-not-allowed';

const KINDS: Readonly<Record<ButtonKind, string>> = {
  primary: 'bg-accent text-on-accent border-transparent hover:brightness-110',
  secondary: 'bg-surface text-text border-line-strong hover:bg-sunken',
  quiet: 'bg-transparent text-muted border-transparent hover:bg-sunken hover:text-text',
  danger: 'bg-danger-ground text-danger border-danger hover:brightness-105',
};

export function buttonClasses(kind: ButtonKind = 'secondary', className?: string): string {
  return classes(BASE, KINDS[kind], className);
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: ButtonKind;
  /** The command is under way: the button is disabled and says so to screen readers. */
  readonly busy?: boolean;
  readonly icon?: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind, busy = false, icon, className, children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={buttonClasses(kind, className)}
      disabled={disabled === true || busy}
      aria-busy={busy}
      {...rest}
    >
      {icon}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  /** What the button does, for screen readers and as a hint. */
  readonly label: string;
  readonly children: ReactNode;
}

export function IconButton({ label, className, kind = 'quiet', children, ...rest }: IconButtonProps) {
  return (
    <Button
      kind={kind}
      aria-label={label}
      title={label}
      className={classes('w-9 px-0!', className)}
      {...rest}
    >
      {children}
    </Button>
  );
}

import type { ReactNode, TdHTMLAttributes, ThHTMLAttributes } from 'react';
import { classes } from './class-names.ts';

/** A table that scrolls sideways by itself where the page is narrow. */
export function Table({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard.
    <section className="overflow-x-auto" aria-label={label} tabIndex={0}>
      <table className="w-full text-sm border-collapse">{children}</table>
    </section>
  );
}

export function Th({ className, ...rest }: ThHTMLAttributes<HTMLTableCellElement>) {
  return (
    <th
      scope="col"
      className={classes(
        'text-left font-medium text-xs text-muted px-3 py-2 border-b border-line whitespace-nowrap',
        className,
      )}
      {...rest}
    />
  );
}

export function Td({ className, ...rest }: TdHTMLAttributes<HTMLTableCellElement>) {
  return <td className={classes('px-3 py-2 border-b border-line align-top', className)} {...rest} />;
}

/** Names and values below each other. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

import type { ReactNode, TdHTMLAttributes } from 'react';
import { classes } from './class-names.ts';

/** The head of a column: its words, and how its cells are placed. */
type Column = string | readonly [head: ReactNode, className?: string];

interface TableProps {
  readonly label: string;
  readonly columns: readonly Column[];
  /** The rows. */
  readonly children: ReactNode;
}

/** A table that scrolls sideways by itself where the page is narrow. */
export function Table({ label, columns, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard.
    <section className="overflow-x-auto" aria-label={label} tabIndex={0}>
      <table className="w-full text-sm border-collapse">
        <thead>
          <tr>
            {columns.map((column, index) => {
              const [head, className] = typeof column === 'string' ? [column] : column;
              return (
                <th key={index} scope="col" className={classes(HEAD, className)}>
                  {head}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

const HEAD = 'text-left font-medium text-xs text-muted px-3 py-2 border-b border-line whitespace-nowrap';

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

import { type LucideIcon, Minus, Pencil, Plus } from 'lucide-react';
import { classes } from './class-names.ts';
import { JsonView } from './json-view.tsx';
import { type ChangeKind, diffValues, type ValueChange } from './value-diff.ts';

const ICONS: Readonly<Record<ChangeKind, LucideIcon>> = { added: Plus, removed: Minus, changed: Pencil };

const COLOURS: Readonly<Record<ChangeKind, string>> = {
  added: 'text-added bg-added-ground',
  removed: 'text-removed bg-removed-ground',
  changed: 'text-changed bg-changed-ground',
};

/** Added, removed or changed: an icon, a word and a colour. */
export function ChangeMark({ kind, word = kind }: { readonly kind: ChangeKind; readonly word?: string }) {
  const Icon = ICONS[kind];
  return (
    <span
      className={classes(
        'inline-flex items-center gap-1 rounded px-1.5 py-0.5 text-xs font-medium whitespace-nowrap',
        COLOURS[kind],
      )}
    >
      <Icon size={12} aria-hidden />
      {word}
    </span>
  );
}

interface ValueChangesProps {
  readonly before: unknown;
  readonly after: unknown;
  /** The names of two things that are compared. Absent: the values are one thing before and after a change. */
  readonly sides?: Sides;
  readonly most?: number;
}

type Sides = readonly [before: string, after: string];

/** The differences of two values: the path to each of them, and both sides. */
export function ValueChangesView({ before, after, sides, most = 20 }: ValueChangesProps) {
  const { changes, more } = diffValues(before, after, most);
  return (
    <ul className="flex flex-col gap-2 min-w-0">
      {changes.map((change) => (
        <Change key={change.path.join('\u0000')} change={change} sides={sides} />
      ))}
      {more && <li className="text-xs text-muted">There are more differences than are shown here.</li>}
    </ul>
  );
}

function Change({ change, sides }: { readonly change: ValueChange; readonly sides: Sides | undefined }) {
  const { kind, path } = change;
  const [beforeName, afterName] = sides ?? ['was', 'is'];
  const columns = sides === undefined ? 'sm:grid-cols-2 gap-x-3' : 'md:grid-cols-2 gap-x-6';
  return (
    <li className="min-w-0">
      {path.length > 0 && (
        <p className="text-xs flex items-center gap-2 min-w-0">
          <ChangeMark kind={kind} word={sides === undefined ? kind : comparedWord(kind, sides)} />
          <bdi className="font-mono break-all text-muted">{path.join(' › ')}</bdi>
        </p>
      )}
      <div className={classes('grid gap-y-1 mt-1 min-w-0', columns)}>
        {kind !== 'added' && <Side name={beforeName} value={change.before} look="border-removed" />}
        {kind !== 'removed' && (
          <Side
            name={afterName}
            value={change.after}
            look={classes('border-added', sides !== undefined && 'md:col-start-2')}
          />
        )}
      </div>
    </li>
  );
}

/** "different", "only in A": the words for two things that are compared. */
export function comparedWord(kind: ChangeKind, [one, other]: Sides): string {
  if (kind === 'changed') return 'different';
  return `only in ${kind === 'added' ? other : one}`;
}

interface SideProps {
  readonly name: string;
  readonly value: unknown;
  readonly look: string;
}

function Side({ name, value, look }: SideProps) {
  return (
    <div className={classes('border-l-2 pl-2 min-w-0', look)}>
      <p className="text-xs text-muted">{name}</p>
      <JsonView value={value} depth={2} />
    </div>
  );
}

import { ChevronRight } from 'lucide-react';
import { useState } from 'react';

const MOST_CHARACTERS = 400;
const MOST_MEMBERS = 100;
/** How deep values are open at first. */
const OPEN_DEPTH = 2;

interface JsonViewProps {
  readonly value: unknown;
  /** The name before the value, such as the name of a variable. */
  readonly name?: string;
  readonly depth?: number;
}

/**
 * A JSON value as a tree. The parts of a deep or long value are made only when somebody opens them, so a hostile value
 * cannot block the page. Text is always shown as text.
 */
export function JsonView({ value, name, depth = 0 }: JsonViewProps) {
  if (typeof value === 'object' && value !== null) return <Branch value={value} name={name} depth={depth} />;
  return (
    <div className="font-mono text-xs py-0.5 min-w-0 break-words">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  );
}

function Name({ name }: { readonly name: string | undefined }) {
  return name === undefined ? null : (
    <span className="text-muted">
      <bdi>{name}</bdi>:{' '}
    </span>
  );
}

function Leaf({ value }: { readonly value: unknown }) {
  const [whole, setWhole] = useState(false);
  if (typeof value !== 'string') return <span className="text-status-running">{String(value)}</span>;
  const isLong = value.length > MOST_CHARACTERS && !whole;
  return (
    <span>
      <bdi className="text-status-completed whitespace-pre-wrap">
        "{isLong ? value.slice(0, MOST_CHARACTERS) : value}"
      </bdi>
      {isLong && (
        <button type="button" className="ml-1 underline text-accent" onClick={() => setWhole(true)}>
          … {value.length - MOST_CHARACTERS} more characters
        </button>
      )}
    </span>
  );
}

function Branch({
  value,
  name,
  depth,
}: {
  readonly value: object;
  readonly name: string | undefined;
  readonly depth: number;
}) {
  const [open, setOpen] = useState(depth < OPEN_DEPTH);
  const [shown, setShown] = useState(MOST_MEMBERS);
  const isList = Array.isArray(value);
  const members = Object.entries(value);
  const summary = isList ? `[${members.length}]` : `{${members.length}}`;
  if (members.length === 0) {
    return (
      <div className="font-mono text-xs py-0.5">
        <Name name={name} />
        <span className="text-muted">{isList ? '[]' : '{}'}</span>
      </div>
    );
  }
  return (
    <div className="font-mono text-xs min-w-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex items-center gap-1 py-0.5 hover:bg-sunken rounded text-left"
      >
        <ChevronRight size={12} aria-hidden className={open ? 'rotate-90' : ''} />
        <Name name={name} />
        <span className="text-muted">{summary}</span>
      </button>
      {open && (
        <div className="pl-4 border-l border-line ml-1.5">
          {members.slice(0, shown).map(([key, member]) => (
            <JsonView key={key} name={key} value={member} depth={depth + 1} />
          ))}
          {members.length > shown && (
            <button
              type="button"
              className="underline text-accent"
              onClick={() => setShown(shown + 10 * MOST_MEMBERS)}
            >
              {members.length - shown} more
            </button>
          )}
        </div>
      )}
    </div>
  );
}

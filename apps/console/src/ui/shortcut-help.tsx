import { Dialog } from './dialog.tsx';
import { Kbd } from './kbd.tsx';

interface ShortcutHelpProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly keys: readonly (readonly [keys: readonly string[], meaning: string])[];
}

/** The keys of a page and what they do. */
export function ShortcutHelp({ open, onClose, keys }: ShortcutHelpProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-5 gap-y-2 text-sm items-baseline">
        {keys.map(([names, meaning]) => (
          <div key={meaning} className="contents">
            <dt className="flex gap-1">
              {names.map((name) => (
                <Kbd key={name}>{name}</Kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

import { classes } from '../class-names.ts';
import { ScrollArea } from '../scroll-area.tsx';
import { TextView } from './text-view.tsx';

const MOST_LINES = 5_000;

/** A change that a run has written as a patch (`--- a`, `+++ b`, `@@`): added and removed lines have their colours. */
export function PatchView({ text }: { readonly text: string }) {
  const lines = text.split('\n');
  if (lines.length > MOST_LINES) return <TextView text={text} code />;
  return (
    <ScrollArea label="Change" className="rounded-md border border-line font-mono text-xs leading-5 py-1">
      <div className="w-max min-w-full">
        {lines.map((line, index) => (
          <div key={index} dir="auto" className={classes('px-3 whitespace-pre min-h-5', lookOf(line))}>
            {line}
          </div>
        ))}
      </div>
    </ScrollArea>
  );
}

function lookOf(line: string): string {
  if (/^(---|\+\+\+|diff |index )/.test(line)) return 'text-muted font-medium';
  if (line.startsWith('@@')) return 'text-accent bg-accent-ground';
  if (line.startsWith('+')) return 'bg-added-ground text-added';
  return line.startsWith('-') ? 'bg-removed-ground text-removed' : '';
}

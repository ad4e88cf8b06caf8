import { useState } from 'react';
import { countText } from '../amounts.ts';
import { Button } from '../button.tsx';
import { ScrollArea } from '../scroll-area.tsx';

/** A longer text is shown in parts, so that a huge one cannot block the page. */
const PART = 20_000;

/** A text as it is: its lines and spaces are kept, and its direction is its own. */
export function TextView({ text, code = false }: { readonly text: string; readonly code?: boolean }) {
  const [shown, setShown] = useState(PART);
  const part = shown < text.length ? text.slice(0, shown) : text;
  return (
    <div className="min-w-0 flex flex-col gap-2 items-start">
      {code ? (
        <ScrollArea label="Code" className="w-full rounded-md border border-line bg-sunken p-3">
          <pre dir="auto" className="font-mono text-xs leading-5 w-max">
            {part}
          </pre>
        </ScrollArea>
      ) : (
        <div dir="auto" className="text-sm leading-6 whitespace-pre-wrap break-words min-w-0 max-w-full">
          {part}
        </div>
      )}
      {shown < text.length && (
        <Button onClick={() => setShown(shown * 4)}>
          Show more of {countText(text.length - shown)} characters
        </Button>
      )}
    </div>
  );
}

import { Check, Copy } from 'lucide-react';
import { useState } from 'react';

/** A long id or checksum: shown short, copied whole. */
export function CopyText({
  text,
  shown = text,
  label,
}: {
  readonly text: string;
  readonly shown?: string;
  readonly label: string;
}) {
  const [copied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        setTimeout(() => setCopied(false), 1500);
      },
      () => undefined,
    );
  return (
    <button
      type="button"
      onClick={copy}
      title={`${text} (copy)`}
      className="inline-flex items-center gap-1 min-h-7 font-mono text-xs text-muted hover:text-text rounded px-1 -mx-1 max-w-full"
    >
      <span className="truncate">{shown}</span>
      <span className="sr-only">{copied ? `${label} copied` : `copy ${label}`}</span>
      {copied ? <Check size={12} aria-hidden /> : <Copy size={12} aria-hidden />}
    </button>
  );
}

/** The beginning and the end of a long id. */
export function shortId(id: string, kept = 8): string {
  return id.length <= kept * 2 + 1 ? id : `${id.slice(0, kept)}…${id.slice(-4)}`;
}

/** A key of the keyboard, in hints. */
export function Kbd({ children }: { readonly children: string }) {
  return (
    <kbd className="inline-block min-w-5 text-center rounded border border-line-strong bg-sunken px-1 font-mono text-xs text-muted">
      {children}
    </kbd>
  );
}

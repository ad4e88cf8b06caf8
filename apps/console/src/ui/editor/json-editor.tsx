import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { createEditor, type Editor, type EditorProblem } from './create-editor.ts';
import type { Path } from './loose-json.ts';
import type { SuggestionSource } from './suggestions.ts';

export interface EditorHandle {
  /** Shows and selects the value at a path. */
  show(path: Path): void;
}

export interface JsonEditorProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** The name of the editor for screen readers. */
  readonly label: string;
  readonly readOnly?: boolean;
  /** What the editor can suggest. Without it there are no suggestions. */
  readonly source?: SuggestionSource | undefined;
  readonly problems?: readonly EditorProblem[];
  readonly handle?: Ref<EditorHandle>;
}

const NONE: readonly EditorProblem[] = [];

/** A text editor for JSON, with marks at mistakes and suggestions from a schema. */
export function JsonEditor({
  text,
  onChange,
  label,
  readOnly = false,
  source,
  problems = NONE,
  handle,
}: JsonEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(undefined);
  // The editor is made once, and asks for the newest of these when it needs them.
  const given = useRef({ text, onChange, source, problems });
  given.current = { text, onChange, source, problems };
  useEffect(() => {
    if (place.current === null) return;
    const made = createEditor({
      parent: place.current,
      text: given.current.text,
      label,
      readOnly,
      onChange: (changed) => given.current.onChange(changed),
      source: () => given.current.source,
      problems: () => given.current.problems,
    });
    editor.current = made;
    return () => made.end();
  }, [label, readOnly]);
  useEffect(() => editor.current?.write(text), [text]);
  useEffect(() => editor.current?.mark(), [problems]);
  useImperativeHandle(handle, () => ({ show: (path) => editor.current?.show(path) }), []);
  return <div ref={place} className="h-full min-h-0" />;
}

import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { markdown } from '@codemirror/lang-markdown';
import { bracketMatching } from '@codemirror/language';
import { linter, lintGutter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { EDITOR_THEME } from './theme.ts';

export type EditedLanguage = 'json' | 'markdown';

export interface CodeEditorProps {
  readonly label: string;
  readonly initial: string;
  readonly language: EditedLanguage;
  readonly onChange: (text: string) => void;
}

/**
 * An editor for a text that a person changes once, as JSON or as Markdown. Tab leaves it. It is in a shadow tree, where
 * the library may add its styles under the content security policy of the console.
 */
export function CodeEditor({ label, initial, language, onChange }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const changed = useRef(onChange);
  useEffect(() => {
    changed.current = onChange;
  });
  // Once: the editor owns its text after it was made.
  useEffect(() => {
    const host = place.current;
    if (host === null) return;
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: initial,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          bracketMatching(),
          EDITOR_THEME,
          language === 'json' ? [json(), linter(jsonParseLinter()), lintGutter()] : markdown(),
          keymap.of([...historyKeymap, ...defaultKeymap]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.focus();
    return () => view.destroy();
  }, []);
  return <div ref={place} className="h-[40dvh] rounded-md border border-line-strong overflow-hidden" />;
}

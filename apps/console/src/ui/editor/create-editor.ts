import {
  autocompletion,
  type Completion,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  pickedCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching } from '@codemirror/language';
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { EditorState, StateEffect } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { type Path, rangeOf, readLoose } from './loose-json.ts';
import { type Suggestion, type SuggestionSource, suggestionsAt } from './suggestions.ts';
import { EDITOR_THEME } from './theme.ts';

/** Something that is wrong with the value at a path of the document. */
export interface EditorProblem {
  readonly path: Path;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

interface EditorOptions {
  readonly parent: HTMLElement;
  readonly text: string;
  readonly label: string;
  readonly readOnly: boolean;
  readonly onChange: (text: string) => void;
  readonly source: () => SuggestionSource | undefined;
  readonly problems: () => readonly EditorProblem[];
}

export interface Editor {
  /** Replaces the text, if it is another one. */
  write(text: string): void;
  /** Marks the problems again. */
  mark(): void;
  /** Shows and selects the value at a path. */
  show(path: Path): void;
  end(): void;
}

/** The problems have changed, although the text has not. */
const marksChanged = StateEffect.define<null>();

export function createEditor(options: EditorOptions): Editor {
  const root = shadowOf(options.parent);
  const view = new EditorView({ root, parent: root, state: stateOf(options) });
  return {
    write(text) {
      if (text !== view.state.doc.toString()) {
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      }
    },
    mark: () => view.dispatch({ effects: marksChanged.of(null) }),
    show(path) {
      const { from, to } = rangeOf(readLoose(view.state.doc.toString()), path);
      view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
      view.focus();
    },
    end: () => view.destroy(),
  };
}

function stateOf(options: EditorOptions): EditorState {
  return EditorState.create({
    doc: options.text,
    extensions: [
      lineNumbers(),
      lintGutter(),
      drawSelection(),
      bracketMatching(),
      closeBrackets(),
      json(),
      EDITOR_THEME,
      history(),
      autocompletion({
        override: [({ state, pos, explicit }) => completionsOf(state, pos, explicit, options.source())],
        icons: false,
        activateOnTyping: true,
      }),
      linter((view) => diagnosticsOf(view, options.problems()), {
        delay: 300,
        needsRefresh: ({ transactions }) =>
          transactions.some(({ effects }) => effects.some((effect) => effect.is(marksChanged))),
      }),
      keymap.of([
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...lintKeymap,
        ...historyKeymap,
        ...defaultKeymap,
      ]),
      EditorState.readOnly.of(options.readOnly),
      EditorState.tabSize.of(2),
      EditorView.contentAttributes.of({ 'aria-label': options.label }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) options.onChange(update.state.doc.toString());
      }),
    ],
  });
}

function completionsOf(
  state: EditorState,
  at: number,
  explicit: boolean,
  source: SuggestionSource | undefined,
): CompletionResult | null {
  if (source === undefined) return null;
  const text = state.doc.toString();
  const found = suggestionsAt(text, at, source);
  // On a blank place, suggestions come only when somebody asks for them.
  if (found === undefined || (!explicit && found.from === found.to)) return null;
  // Only the text before the cursor counts, so that a value that is complete can be replaced by another one.
  const begun = text.slice(found.from, at).replaceAll('"', '').toLowerCase();
  const fitting = found.list.filter(({ label }) => label.toLowerCase().includes(begun));
  if (fitting.length === 0) return null;
  return { from: found.from, to: found.to, options: fitting.map(completionOf), filter: false };
}

function completionOf({ label, detail, info, text, caret }: Suggestion): Completion {
  return {
    label,
    ...(detail !== undefined && { detail }),
    ...(info !== undefined && { info }),
    apply: (view, completion, from, to) =>
      view.dispatch({
        changes: { from, to, insert: text },
        selection: { anchor: from + caret },
        annotations: pickedCompletion.of(completion),
        userEvent: 'input.complete',
      }),
  };
}

const parseLinter = jsonParseLinter();

function diagnosticsOf(view: EditorView, problems: readonly EditorProblem[]): readonly Diagnostic[] {
  if (view.state.doc.toString().trim() === '') return [];
  const faults = parseLinter(view);
  if (faults.length > 0 || problems.length === 0) return faults;
  const loose = readLoose(view.state.doc.toString());
  return problems.map(({ path, message, severity }) => {
    const { from, to } = rangeOf(loose, path);
    // A problem with the whole definition is marked at its first sign.
    return { from, to: path.length === 0 ? Math.min(from + 1, to) : to, message, severity };
  });
}

/**
 * The shadow tree of an element, for an editor. There the library adds its styles as constructed style sheets, which the
 * content security policy of the console allows. In the page itself it would add a `style` element, which the policy
 * refuses.
 */
function shadowOf(element: HTMLElement): ShadowRoot {
  return element.shadowRoot ?? element.attachShadow({ mode: 'open' });
}

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The looks of the editor, from the colours of the console, so that both themes follow from one place. */
const LOOKS = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--text)', backgroundColor: 'var(--surface)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': {
    fontFamily: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace',
    lineHeight: '1.5',
  },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--muted)',
    border: 'none',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-ground)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    maxWidth: '26rem',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'inherit', maxHeight: '16em' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px', minHeight: '24px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-ground)',
    color: 'var(--accent)',
  },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
  '.cm-completionInfo': { padding: '6px 10px' },
  '.cm-diagnostic': { padding: '6px 10px', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--danger)' },
  '.cm-diagnostic-warning': { borderLeft: '4px solid var(--changed)' },
  '.cm-lintRange-error': { backgroundImage: 'none', borderBottom: '2px solid var(--danger)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', borderBottom: '2px solid var(--changed)' },
  // The pictures of the library are data, and the content security policy allows none in styles of scripts.
  '.cm-lint-marker': { width: '0.7em', height: '0.7em', borderRadius: '50%', margin: '0.35em 0' },
  '.cm-lint-marker-error': { content: '""', backgroundColor: 'var(--danger)' },
  '.cm-lint-marker-warning': { content: '""', backgroundColor: 'var(--changed)', borderRadius: '2px' },
});

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--completed)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--running)' },
  { tag: [tags.punctuation, tags.separator], color: 'var(--muted)' },
]);

export const EDITOR_THEME = [LOOKS, syntaxHighlighting(COLOURS)];
